# Packet by packet: record a run of one flow, and print it as rows of time, event (send, rexmit and ack at
# the sender, drop at the link with the error model), sequence number in packets, and the sender's
# variables after everything at that instant (within 10 us: ns-2 prints variables with 5 decimals).

# Record what passes `nodes` {sender next ...} at its first link and at the link `lossy` {from to}.
# `scratch` is where ns-2's two raw traces are put meanwhile.
proc record {sim sender nodes lossy scratch} {
    global recording
    set recording(packets) [open $scratch.packets w]
    set recording(variables) [open $scratch.variables w]
    set recording(scratch) $scratch
    lassign $nodes first second
    set recording(ends) [list [$first id] [$second id]]
    set recording(lossy) [list [[lindex $lossy 0] id] [[lindex $lossy 1] id]]
    set links [list [list $first $second] [list $second $first] $lossy]
    foreach link [lsort -unique $links] { $sim trace-queue {*}$link $recording(packets) }
    foreach variable {cwnd_ ssthresh_ dupacks_ srtt_ rttvar_ backoff_} { $sender trace $variable }
    $sender attach $recording(variables)
}

# End the recording and print it, after a comment line with the totals and the settings `keys`.
proc print_recording {sim sender arrayName keys} {
    global recording
    upvar 1 $arrayName want
    $sim flush-trace
    close $recording(packets)
    close $recording(variables)
    set config ""
    foreach key $keys { append config " $key=$want($key)" }
    puts "# $want(variant) droplist={$want(droplist)} acked=[expr {[$sender set ack_] + 1}]\
        sent=[$sender set ndatapack_] rexmit=[$sender set nrexmitpack_] timeouts=[$sender set nrexmit_] config:$config"
    puts "time,event,seq,cwnd,ssthresh,dupacks,srtt,rttvar,backoff"
    print_rows [sorted_events $recording(scratch).packets] $recording(scratch).variables
    file delete $recording(scratch).packets $recording(scratch).variables
}

# Rows {microsecond rank order event sequence}; at one instant acknowledgments come before what they
# cause, and drops last.
proc sorted_events {path} {
    global recording
    lassign $recording(ends) first second
    set rows {}
    set highest -1
    set order 0
    foreach line [lines $path] {
        lassign $line operation time from to type size flags flow source destination sequence
        incr order
        set microsecond [expr {round($time * 1e6)}]
        switch -- "$operation $from $to $type" \
            "+ $first $second tcp" {
                set event [expr {$sequence > $highest ? "send" : "rexmit"}]
                set highest [expr {max($highest, $sequence)}]
                lappend rows [list $microsecond 1 $order $event $sequence]
            } "r $second $first ack" {
                lappend rows [list $microsecond 0 $order ack $sequence]
            } "d $recording(lossy) tcp" {
                lappend rows [list $microsecond 2 $order drop $sequence]
            }
    }
    lsort -integer -index 0 [lsort -integer -index 1 [lsort -integer -index 2 $rows]]
}

proc print_rows {rows variablesPath} {
    array set now {cwnd_ nan ssthresh_ nan dupacks_ 0 srtt_ 0 rttvar_ 0 backoff_ 1}
    set changes [lines $variablesPath]
    set next 0
    foreach row $rows {
        lassign $row microsecond rank order event sequence
        set time [expr {$microsecond / 1e6}]
        while {$next < [llength $changes] && [lindex $changes $next 0] <= $time + 6e-6} {
            set now([lindex $changes $next 5]) [lindex $changes $next 6]
            incr next
        }
        puts [format "%.6f,%s,%d,%s,%s,%d,%.3f,%.3f,%d" $time $event $sequence \
            [rounded %.3f $now(cwnd_)] [rounded %.0f $now(ssthresh_)] $now(dupacks_) $now(srtt_) $now(rttvar_) $now(backoff_)]
    }
}

proc rounded {form value} {
    if {$value eq "nan"} { return nan }
    return [format $form $value]
}

proc lines {path} {
    set channel [open $path]
    set text [split [string trimright [read $channel]] "\n"]
    close $channel
    return $text
}
