# Completes tt in PowerShell 5.1 and later.
#
# The typed text is never evaluated: the words come from the syntax tree of PowerShell, and the inserted text is quoted.

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

    # Before 7.3, PowerShell omits empty arguments and loses the quotes inside arguments.
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
        # Without candidates, PowerShell completes file names.
        if ($null -eq $description) { continue }
        if ($description -eq '') { $description = $value }
        $quoted = $value
        if ($value -notmatch '^[A-Za-z0-9_./:=+-]+$') {
            $quoted = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
        }
        [System.Management.Automation.CompletionResult]::new($quoted, $value, 'ParameterValue', $description)
    }
}
