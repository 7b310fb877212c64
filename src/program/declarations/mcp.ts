import { defineCommand } from '../../cli/declaration.js'
import { summaries } from '../command-list.js'

/** The configuration that most clients read. */
const servers = '`{"mcpServers": {"tt": {"command": "tt", "args": ["mcp"]}}}`'

/** `tt mcp`. */
export const commands = {
  mcp: defineCommand({
    summary: summaries.mcp,
    description: 'serve the Model Context Protocol on stdio, so that AI agents can track time',
    options: {
      '--read-only': 'offer no tools that change anything, and refuse them',
    },
    notes: [
      'A client starts `tt mcp`. It serves one profile: that of `--profile` or the current one. Use the full path of tt if the client does not find it.',
      {
        title: 'Configuration of clients',
        rows: [
          { term: 'Claude Code', meaning: '`claude mcp add --scope user tt -- tt mcp`' },
          {
            term: 'Claude Desktop',
            meaning: `claude_desktop_config.json (Settings, Developer, Edit Config): ${servers}`,
          },
          { term: 'Codex', meaning: '`codex mcp add tt -- tt mcp`' },
          { term: 'Cursor', meaning: `~/.cursor/mcp.json, or .cursor/mcp.json in a project: ${servers}` },
          { term: 'Gemini CLI', meaning: '`gemini mcp add --scope user tt tt mcp`' },
          {
            term: 'VS Code',
            meaning:
              '.vscode/mcp.json: `{"servers": {"tt": {"type": "stdio", "command": "tt", "args": ["mcp"]}}}`',
          },
          {
            term: 'Zed',
            meaning:
              'settings.json: `{"context_servers": {"tt": {"source": "custom", "command": "tt", "args": ["mcp"]}}}`',
          },
        ],
      },
      'Deletions, changes of several entries and new tasks need a confirmation: by the client, if it can show forms, or by a repeated call with the code of the first, after the user has agreed. The tool `undo` undoes the last change.',
    ],
    examples: ['tt mcp', 'tt mcp --read-only', 'tt mcp --profile acme'],
    load: () => import('../../commands/mcp.js'),
  }),
}
