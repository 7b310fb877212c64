# Completes tt in PowerShell 5.1 and later.
#
# What was typed is never evaluated: the words are read from PowerShell's own syntax tree, as they stand there, and what
# is inserted is quoted.

Register-ArgumentCompleter -Native -CommandName tt -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @()
    $typed = ''
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        $isConstant = $element -is [System.Management.Automation.Language.StringConstantExpressionAst]
        $word = if ($isConstant) { $element.Value } else { $element.Extent.Text }
        if ($element.Extent.EndOffset -ge $cursorPosition) { $typed = $word } else { $words += $word }
    }
    $words += $typed

    # Until 7.3, PowerShell leaves out empty arguments and loses quotes within them.
    if ($PSVersionTable.PSVersion -lt [version]'7.3' -or $PSNativeCommandArgumentPassing -eq 'Legacy') {
        $words = @($words | ForEach-Object {
            if ($_ -eq '') { '""' } else { $_ -replace '(\\*)"', '$1$1\"' }
        })
    }

    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        $lines = @(tt __complete '--' @words 2>$null)
    } finally {
        [Console]::OutputEncoding = $encoding
    }

    foreach ($line in $lines) {
        $value, $description = $line -split "`t", 2
        # Without a candidate, PowerShell offers the names of files by itself.
        if ($null -eq $description) { continue }
        if ($description -eq '') { $description = $value }
        $quoted = $value
        if ($value -notmatch '^[A-Za-z0-9_./:=+-]+$') {
            $quoted = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
        }
        [System.Management.Automation.CompletionResult]::new($quoted, $value, 'ParameterValue', $description)
    }
}
