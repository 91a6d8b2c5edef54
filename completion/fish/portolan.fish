function __portolan_commands
    set -l words (commandline -opc)
    $words[1] --complete (string replace -r "^['\"]" '' -- (commandline -ct)) 2>/dev/null
end

function __portolan_machines
    set -l words (commandline -opc)
    $words[1] --format csv -e 'machine list' 2>/dev/null | sed '1d; /^$/d; /^name,/d; s/,.*//'
end

complete -c portolan -s b -l batch -d 'run a script of commands'
complete -c portolan -s e -l execute -x -a '(__portolan_commands)' -d 'run commands, then quit; can be repeated'
complete -c portolan -l machine -x -a 'native (__portolan_machines)' -d 'machine to show (native: this CPU); can be repeated'
complete -c portolan -l session -x -a '(__fish_complete_directories)' -d 'resume a saved session'
complete -c portolan -l no-color -d 'do not use colours'
complete -c portolan -l complete -x -d 'print completions of an unfinished command, for shells'
complete -c portolan -l no-rc -d 'open the workbench without the commands of portolan/rc'
complete -c portolan -s h -l help -d 'print this text, then quit'
complete -c portolan -s V -l version -d 'print the version, then quit'
complete -c portolan -l format -x -a 'text csv json md html' -d 'output format'
complete -c portolan -l color -d 'coloured text output'
complete -c portolan -l ascii -d 'ASCII output only'
complete -c portolan -l background -x -a 'auto dark light' -d 'background of the terminal, for the choice of colours; auto: as reported by the terminal, otherwise dark'
complete -c portolan -l keep-going -d 'continue after a command fails; the exit status is still 1'
complete -c portolan -l panes -d 'show several panes next to each other on a large screen'
complete -c portolan -l seed -x -d 'random seed for experiments generate and evolve start'
complete -c portolan -l threads -x -a 'auto' -d 'worker threads for evolve start and kernel evaluate; auto: one per CPU'
complete -c portolan -l source-path -x -d 'source directories, separated by :, for the files that debug information names'
