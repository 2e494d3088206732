# What the scripts of this folder share: settings from the command line, one TCP flow, its counters.

# Merge "key=value" words of the command line over the defaults in the caller's array `arrayName`.
proc read_settings {arrayName} {
    upvar 1 $arrayName set_
    foreach word $::argv {
        if {![regexp {^([a-z_]+)=(.*)$} $word -> key value] || ![info exists set_($key)]} {
            puts stderr "unknown setting: $word (known: [lsort [array names set_]])"
            exit 2
        }
        set set_($key) $value
    }
}

# Defaults of every scenario; a script overrides what it needs before reading the command line.
# variant: Tahoe, Reno, Newreno, Sack1 or Vegas. iw: initial window. limtx: limited transmit.
array set FLOW_DEFAULTS {
    variant Reno seed 1 window 64 qlim 50 pkt 1000
    tick 0.01 minrto 0.2 limtx 1 syn false iw 1 useheaders false
    alpha 1 beta 3 gamma 1 release 2010
}

# release: the switches of 2.35 that older releases had in the other position, besides the settings above.
array set SWITCHES {2010 {}}
set SWITCHES(2.27) {precisionReduce_ false rtxcur_init_ 6.0}
set SWITCHES(2.26) [concat $SWITCHES(2.27) {exitFastRetrans_ false newreno_changes1_ 0 partial_window_deflation_ 0}]
set SWITCHES(2.1b8) [concat $SWITCHES(2.26) {rfc2988_ false}]
set SWITCHES(2.1b7) [concat $SWITCHES(2.1b8) {timerfix_ false}]

# A bulk flow from node `from` to node `to` that starts at time zero. Returns the sending agent.
proc bulk_flow {sim from to arrayName} {
    upvar 1 $arrayName want
    set class [expr {$want(variant) eq "Tahoe" ? "Agent/TCP" : "Agent/TCP/$want(variant)"}]
    set sender [new $class]
    set receiver [new [expr {$want(variant) eq "Sack1" ? "Agent/TCPSink/Sack1" : "Agent/TCPSink"}]]
    foreach {variable key} {
        packetSize_ pkt  window_ window  tcpTick_ tick  minrto_ minrto  singledup_ limtx
        syn_ syn  delay_growth_ syn  windowInit_ iw  useHeaders_ useheaders
    } { $sender set $variable $want($key) }
    if {$want(variant) eq "Vegas"} {
        foreach key {alpha beta gamma} { $sender set v_${key}_ $want($key) }
    }
    foreach {variable value} $::SWITCHES($want(release)) {
        if {$want(variant) eq "Newreno" || ![regexp {newreno|partial} $variable]} { $sender set $variable $value }
    }
    $sim attach-agent $from $sender
    $sim attach-agent $to $receiver
    $sim connect $sender $receiver
    set application [new Application/FTP]
    $application attach-agent $sender
    $sim at 0.0 "$application start"
    return $sender
}

# Drop-tail links in both directions along a list of nodes: `hops` is {rate delay rate delay ...}.
proc chain {sim nodes hops limit} {
    set left [lindex $nodes 0]
    foreach right [lrange $nodes 1 end] {rate delay} $hops {
        $sim duplex-link $left $right $rate $delay DropTail
        $sim queue-limit $left $right $limit
        $sim queue-limit $right $left $limit
        set left $right
    }
}

set COUNTERS "acked_pkts,goodput_bps,sent_pkts,rexmit_pkts,timeouts,cwnd_cuts"

# The counters above at time `elapsed`; a SYN is not counted as acknowledged data.
proc counters {sender elapsed arrayName} {
    upvar 1 $arrayName want
    set acked [expr {[$sender set ack_] + ($want(syn) ? 0 : 1)}]
    format "%d,%.1f,%d,%d,%d,%d" $acked [expr {$acked * $want(pkt) * 8.0 / $elapsed}] \
        [$sender set ndatapack_] [$sender set nrexmitpack_] [$sender set nrexmit_] [$sender set ncwndcuts_]
}

# One uniform draw per packet from a generator that only `seed` determines.
proc loss_draws {seed} {
    set generator [new RNG]
    $generator seed [expr {7919 * $seed + 13}]
    set draws [new RandomVariable/Uniform]
    $draws use-rng $generator
    $draws set min_ 0
    $draws set max_ 1
    return $draws
}
