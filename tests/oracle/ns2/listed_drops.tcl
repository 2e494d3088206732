# Family b: S -8Mb/0.1ms- R -0.8Mb/100ms- K; the packets listed are lost before the queue of R -> K,
# counted from 0 in order of arrival there. A trace on stdout:
#   ns listed_drops.tcl variant=Reno droplist="14 28" config=classic
# Each row: time, event (send, rexmit and ack at S, drop at R), sequence number in packets, and the
# sender's variables after everything at that instant (10 us: ns-2 prints variables with 5 decimals).
# scratch: where ns-2's two raw traces are put meanwhile.
source [file join [file dirname [info script]] flow.tcl]
array set want [array get FLOW_DEFAULTS]
array set want {window 28 droplist 14 stop 6 config default scratch /tmp/listed_drops}
foreach word $argv { regexp {^config=(.*)$} $word -> want(config) }
switch $want(config) {
    classic { array set want {tick 0.1 minrto 1.0 limtx 0} }
    default { array set want {syn true iw 2 useheaders true} }
}
read_settings want
append want(scratch) .[pid]

proc run {} {
    global want
    ns-random $want(seed)
    set sim [new Simulator]
    foreach node {server router client} { lappend nodes [set $node [$sim node]] }
    chain $sim $nodes {8Mb 0.1ms 0.8Mb 100ms} $want(qlim)
    set losses [new ErrorModel/List]
    $losses droplist $want(droplist)
    $sim lossmodel $losses $router $client
    set packets [open $want(scratch).packets w]
    foreach {from to} [list $server $router $router $server $router $client] { $sim trace-queue $from $to $packets }
    set sender [bulk_flow $sim $server $client want]
    set variables [open $want(scratch).variables w]
    foreach variable {cwnd_ ssthresh_ dupacks_ srtt_ rttvar_ backoff_} { $sender trace $variable }
    $sender attach $variables
    $sim at $want(stop) [list finish $sim $sender $packets $variables]
    $sim run
}

proc finish {sim sender packets variables} {
    global want
    $sim flush-trace
    close $packets
    close $variables
    set config ""
    foreach key {tick minrto limtx syn iw useheaders window seed} { append config " $key=$want($key)" }
    puts "# $want(variant) droplist={$want(droplist)} acked=[expr {[$sender set ack_] + 1}]\
        sent=[$sender set ndatapack_] rexmit=[$sender set nrexmitpack_] timeouts=[$sender set nrexmit_] config:$config"
    puts "time,event,seq,cwnd,ssthresh,dupacks,srtt,rttvar,backoff"
    print_rows [sorted_events $want(scratch).packets] $want(scratch).variables
    file delete $want(scratch).packets $want(scratch).variables
    exit 0
}

# Rows {microsecond rank order event sequence}; at one instant acknowledgments come before what they
# cause, and drops last.
proc sorted_events {path} {
    set rows {}
    set highest -1
    set order 0
    foreach line [lines $path] {
        lassign $line operation time from to type size flags flow source destination sequence
        incr order
        set microsecond [expr {round($time * 1e6)}]
        switch "$operation $from $to $type" {
            "+ 0 1 tcp" {
                set event [expr {$sequence > $highest ? "send" : "rexmit"}]
                set highest [expr {max($highest, $sequence)}]
                lappend rows [list $microsecond 1 $order $event $sequence]
            }
            "r 1 0 ack" { lappend rows [list $microsecond 0 $order ack $sequence] }
            "d 1 2 tcp" { lappend rows [list $microsecond 2 $order drop $sequence] }
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

run
