# Family e: S -100Mb/50ms- R -10Mb/3ms- BS =LAN 100Mb/10us= C -2Mb/5ms- MN with random loss between C and MN.
# ns-2's Snoop is a link layer of LANs, so the air is a fast LAN and a lossy link behind it.
#   ns snoop.tcl variant=Reno per=0.01 ackper=0 snoop=1 seed=1 dur=300
#   per, ackper  ratio of packets lost towards MN, and of acknowledgments from it, after propagation
#   snoop=0      a plain link layer at the base station
#   up=1         MN is the sender: ackper is the ratio of its data lost, per that of the acknowledgments for it
#   eln=1        the sender acts on notifications of losses over the air
#   header=1     prints the column names instead of running
#   packets=1    prints the run packet by packet instead of counters (see packets.tcl)
source [file join [file dirname [info script]] flow.tcl]
source [file join [file dirname [info script]] packets.tcl]
array set want [array get FLOW_DEFAULTS]
array set want {variant Reno per 0.01 ackper 0 snoop 1 up 0 eln 0 dur 300 header 0 packets 0 scratch /tmp/snoop
    chain snoop droplist {}}
read_settings want
if {$want(header)} { puts "variant,snoop,per,ackper,up,eln,seed,dur,$COUNTERS"; exit 0 }

remove-all-packet-headers
add-packet-header Flags IP TCP Snoop ARP LL Mac
ns-random $want(seed)
set sim [new Simulator]
foreach node {server router base bridge mobile} { set $node [$sim node] }
chain $sim [list $server $router $base] {100Mb 50ms 10Mb 3ms} $want(qlim)
chain $sim [list $bridge $mobile] {2Mb 5ms} $want(qlim)
set lan [$sim make-lan [list $bridge] 100Mb 10us LL Queue/DropTail Mac/802_3]
$lan addNode [list $base] 100Mb 10us [expr {$want(snoop) ? "LL/LLSnoop" : "LL"}] Queue/DropTail Mac/802_3

proc lose {ratio seed from to} {
    if {$ratio == 0} { return }
    set air [new ErrorModel]
    $air unit pkt
    $air set rate_ $ratio
    $air ranvar [loss_draws $seed]
    $air drop-target [new Agent/Null]
    $::sim link-lossmodel $air $from $to
}
lose $want(per) $want(seed) $bridge $mobile
lose $want(ackper) [expr {1000 + $want(seed)}] $mobile $bridge

set ends [expr {$want(up) ? [list $mobile $server] : [list $server $mobile]}]
set sender [bulk_flow $sim {*}$ends want]
$sender set eln_ $want(eln)
if {$want(packets)} {
    set nodes [expr {$want(up) ? [list $mobile $bridge] : [list $server $router]}]
    record $sim $sender $nodes [expr {$want(up) ? [list $mobile $bridge] : [list $bridge $mobile]}] $want(scratch).[pid]
    set keys {chain per ackper snoop up eln dur tick minrto limtx syn iw useheaders window seed pkt qlim}
    $sim at $want(dur) { print_recording $sim $sender want $keys; exit 0 }
}
$sim at $want(dur) {
    puts "$want(variant),$want(snoop),$want(per),$want(ackper),$want(up),$want(eln),$want(seed),$want(dur),[counters $sender $want(dur) want]"
    exit 0
}
$sim run
