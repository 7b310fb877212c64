import { execFile } from 'node:child_process'
import type { Environment } from '../../config/paths.js'

const title = 'tt'

/** Shows the text from the environment, so that no text is part of the script. */
const balloonScript = `
Add-Type -AssemblyName System.Windows.Forms
$icon = New-Object System.Windows.Forms.NotifyIcon
$icon.Icon = [System.Drawing.SystemIcons]::Information
$icon.Visible = $true
$icon.ShowBalloonTip(8000, '${title}', $env:TT_REMINDER, 'Info')
Start-Sleep 8
$icon.Dispose()`

/** Returns the program and arguments that show a notification on a platform. The text is an argument, never code. */
export function notificationCommand(
  platform: NodeJS.Platform,
  text: string,
): { program: string; args: string[] } {
  if (platform === 'darwin') {
    const script = ['on run argv', 'display notification (item 1 of argv) with title "tt"', 'end run']
    return { program: 'osascript', args: [...script.flatMap((line) => ['-e', line]), '--', text] }
  }
  if (platform === 'win32')
    return { program: 'powershell.exe', args: ['-NoProfile', '-NonInteractive', '-Command', balloonScript] }
  // The body may contain markup (Desktop Notifications Specification, "Markup").
  const body = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return { program: 'notify-send', args: ['--app-name=tt', '--', title, body] }
}

/**
 * Shows a notification. Returns false if no program can.
 *
 * @param timeLimitMs time limit for the program, in milliseconds
 */
export function notify(text: string, env: Environment, timeLimitMs = 15_000): Promise<boolean> {
  const { program, args } = notificationCommand(process.platform, text)
  const options = {
    ...{ env: { ...env, TT_REMINDER: text }, windowsHide: true },
    ...{ timeout: timeLimitMs, killSignal: 'SIGKILL' as const },
  }
  return new Promise((resolve) => {
    execFile(program, args, options, (error) => resolve(error === null))
  })
}
