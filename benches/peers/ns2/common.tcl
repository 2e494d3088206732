# What the workloads share: arguments and the simulator (`sim`), wires and flows.
# The first word may be `trimmed`: without the headers that no workload uses.
if {[lindex $argv 0] eq "trimmed"} {
    remove-all-packet-headers
    add-packet-header Flags IP TCP
    set argv [lrange $argv 1 end]
}
lassign $argv seed seconds
ns-random $seed
set sim [new Simulator]
# A wire with a queue of `limit` packets in both directions.
proc wire {left right rate delay limit} {
    global sim
    $sim duplex-link $left $right $rate $delay DropTail
    $sim queue-limit $left $right $limit
    $sim queue-limit $right $left $limit
}
# A NewReno flow with a window of at most `window` segments that starts at `start` seconds.
proc flow {from to window start {threshold ""}} {
    global sim senders
    set sender [new Agent/TCP/Newreno]
    foreach {variable value} [list window_ $window packetSize_ 1000 windowInit_ 1 \
        useHeaders_ false syn_ false delay_growth_ false] { $sender set $variable $value }
    set receiver [new Agent/TCPSink]
    $sim attach-agent $from $sender
    $sim attach-agent $to $receiver
    $sim connect $sender $receiver
    set application [new Application/FTP]
    $application attach-agent $sender
    $sim at $start "$application start"
    # The start sets the threshold to the window limit.
    if {$threshold ne ""} { $sim at $start "$sender set ssthresh_ $threshold" }
    lappend senders $sender
}
# Run, and print the packets acknowledged, all flows together. Nothing is traced.
proc run {} {
    global sim seconds
    $sim at $seconds finish
    $sim run
}
proc finish {} {
    global senders
    set acknowledged 0
    foreach sender $senders { incr acknowledged [expr {[$sender set ack_] + 1}] }
    puts $acknowledged
    exit 0
}
