"""Programs over simulated TCP."""

import re
from pathlib import Path

import pytest

import seamline
from seamline.network import Stalled

PATH = """
duration = "60 s"
nodes = ["client", "server"]

[[link]]
name = "radio"
from = "client"
to = "server"
rate = "10 Mbit/s"
one_way_delay = "20 ms"
"""

HANDOVER = (
    PATH
    + """
queue = { discipline = "drop-tail", limit = "60 packets" }
loss = { model = "bernoulli", probability = "1 %" }
handover = { at = "200 ms", interruption = "300 ms" }
"""
)


def content(length):
    return bytes((place * place // 7 + place) & 0xFF for place in range(length))


async def echo(listener):
    with await listener.accept() as socket:
        while data := await socket.receive(5000):
            await socket.send_all(data)


def echo_times(seed, **tcp):
    network = seamline.Network(HANDOVER, seed=seed)
    sent, times = content(300_000), []
    network.spawn(echo(network.listen("server", 7, **tcp)))

    async def client():
        with await network.connect("client", ("server", 7), **tcp) as socket:

            async def write():
                await socket.send_all(sent)
                socket.shutdown()

            network.spawn(write())
            back = []
            while data := await socket.receive(50_000):
                back.append(data)
                times.append(network.now)
            return b"".join(back)

    assert network.run(client()) == sent
    return times


def test_an_echo_over_a_lossy_way_with_handovers_gives_the_same_bytes_at_the_same_times():
    times = echo_times(1)
    assert times == echo_times(1)
    assert times != echo_times(2) and times != echo_times(1, variant="bbr")
    assert 0.6 < times[-1] < 5
    assert max(b - a for a, b in zip(times, times[1:])) > 0.25, "the handover"


def test_errors_are_those_of_real_sockets():
    network = seamline.Network(PATH)

    async def refused():
        await network.connect("client", ("server", 80))

    with pytest.raises(ConnectionRefusedError):
        network.run(refused())
    assert 0.040 < network.now < 0.041

    async def reset():
        listener = network.listen("server", 80)
        task = network.spawn(listener.accept())
        socket = await network.connect("client", ("server", 80))
        (await task).abort()
        await socket.receive(1)

    with pytest.raises(ConnectionResetError):
        network.run(reset())
    with pytest.raises(ValueError, match='no node "moon"'):
        network.listen("moon", 80)
    with pytest.raises(OSError, match="port 80 is in use"):
        network.listen("server", 80)
    with pytest.raises(ValueError, match='unknown variant "quick"'):
        network.listen("server", 81, variant="quick")
    with pytest.raises(seamline.ScenarioError, match="duration"):
        seamline.Network("nodes = ['a']")


def test_an_end_that_is_shut_down_still_receives():
    network = seamline.Network(PATH)

    async def server(listener):
        with await listener.accept() as socket:
            request = await socket.receive_all()
            await network.sleep(2)
            await socket.send_all(request * 1000)

    async def client():
        socket = await network.connect("client", ("server", 80))
        await socket.send_all(b"request")
        socket.shutdown()
        with pytest.raises(BrokenPipeError):
            await socket.send(b"more")
        return await socket.receive_all()

    network.spawn(server(network.listen("server", 80)))
    assert network.run(client()) == b"request" * 1000
    assert network.now > 2


def test_a_hundred_connections_do_not_mix_up_their_bytes():
    network = seamline.Network(PATH)
    listener = network.listen("server", 7)
    for _ in range(100):
        network.spawn(echo(listener))

    async def client(number):
        sent = content(5000 + number)[::-1]
        with await network.connect("client", ("server", 7)) as socket:
            await socket.send_all(sent)
            socket.shutdown()
            return await socket.receive_all() == sent

    clients = [network.spawn(client(number)) for number in range(100)]
    network.run()
    assert all(task.result for task in clients)
    assert 0.4 < network.now < 2


def test_calls_without_waiting_raise():
    network = seamline.Network(PATH)
    listener = network.listen("server", 80)
    client = network.connect_nowait("client", ("server", 80))
    with pytest.raises(BlockingIOError):
        listener.accept_nowait()
    with pytest.raises(BlockingIOError):
        client.send_nowait(b"x")
    assert not client.connected
    network.run_until(0.1)
    server = listener.accept_nowait()
    assert client.connected and server.remote == ("client", 49152)
    assert client.send_nowait(b"xyz") == 3
    with pytest.raises(BlockingIOError):
        server.receive_nowait(10)
    network.run_until(0.121)
    assert server.receive_nowait(10) == b"xyz"
    assert network.now == 0.121


def test_programs_that_wait_for_ever_are_found_out():
    network = seamline.Network(PATH)
    task = network.spawn(network.listen("server", 80).accept())
    with pytest.raises(Stalled, match="1 tasks wait"):
        network.run()
    with pytest.raises(Stalled, match="2 tasks are not done at the end of the scenario, 60 s"):
        network.run(network.sleep(100))
    assert not task.done
    task._program.close()


def test_what_a_program_raises_ends_the_run():
    network = seamline.Network(PATH)

    async def broken():
        await network.sleep(1)
        raise ZeroDivisionError("on purpose")

    network.spawn(broken())
    with pytest.raises(ZeroDivisionError, match="on purpose"):
        network.run()

    async def careful():
        with pytest.raises(ZeroDivisionError):
            await network.spawn(broken())
        return "fine"

    assert network.run(careful()) == "fine"


def test_the_example_of_the_page_works():
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "sockets.md").read_text(encoding="utf-8")
    names = {}
    exec(re.search("```python\n(.*?)```", page, re.DOTALL).group(1), names)
    names["test_an_echo_survives_handovers"]()
