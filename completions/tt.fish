# Completes tt in fish 3.1 and later.
#
# The typed text is never evaluated: `string unescape` only removes quotes, and fish quotes the inserted text.

function __tt_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l raw (commandline -ct)
    set -l typed
    # The last word may have an open quote.
    for ending in '' '"' "'"
        if set typed (string unescape -- "$raw$ending")
            break
        end
    end

    for line in (command tt __complete -- $words "$typed" 2>/dev/null)
        if string match -qr '^~[^0-9]' -- $line
            continue # fish would insert it as a home directory.
        else if string match -qr \t -- $line
            printf '%s\n' $line
        else if test $line = files
            set -l before (string match -r -- '^--[^=]*=' $typed)
            for path in (__fish_complete_path (string replace -r -- '^--[^=]*=' '' $typed))
                printf '%s%s\n' "$before" $path
            end
        end
    end
end

complete -c tt -f -k -a '(__tt_complete)'
