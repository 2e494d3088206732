//! `seamline` without arguments.

use crate::Outcome;
use crate::terminal::print;

const TEXT: &str = "\
TCP that keeps its pace while its ends move.

See something:
  seamline demo                    how TCP variants fare over Starlink's handovers (seconds)
  seamline list                    variants, error models, generators, demos, with their sources
Your own experiment:
  seamline init my.toml            write a commented scenario to begin from
  seamline check my.toml           everything that is wrong with it, with line and remedy
  seamline explain SL009           what an error code means, with an example and its cure
  seamline run my.toml             run it on all processors and compare its variants
  seamline advise --help           is a handover between two links worth it, and which scheme helps
Over real Linux TCP:
  seamline lab my.toml             the same in real time, between namespaces; or (-- COMMAND) any program there
  seamline benchmark               what handovers cost the kernel's TCP, and what each remedy brings
  seamline mobile                  a daemon that helps the TCP connections of a host that moves
  seamline sender                  the kernel's senders heed what such a host tells them (eBPF)
Many runs:
  seamline paper E --out D         reproduce a paper: its figures, its claims, a verdict on each
  seamline sweep my.toml --out D   store every run; interrupt, resume, divide between machines
  seamline compare A B             whether two results differ, seed by seed
  seamline parity                  simulator, real packets and the kernel's TCP, side by side
Your tools:
  seamline doctor                  what this host has for live experiments, and what mends the rest
  seamline schema                  JSON Schema of scenarios, for editors that complete keys
  seamline <command> --help        all options of a command

Example: seamline run scenarios/quickstart.toml --seeds 10 --set link.radio.rate='20 Mbit/s'
";

pub(crate) fn show() -> Outcome {
    print(TEXT)
}
