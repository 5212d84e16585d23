"""A producer of its own making: asks live workers, by the contract alone. One command a line in, one answer a line out.

First line: where the servers are and who asks: {"redis", "prefix", "bao", "actor", "role_id", "secret_id", "reply"}.
Then, each answered in turn, {"queue", "body", "alter"?}: `alter` changes clear fields after sealing, as whoever holds
Redis could. The answer is {"opens_to": ...}, {"hint": CODE} or {"timeout": true}.
"""

import asyncio
import json
import secrets
import sys
import time
from dataclasses import dataclass
from typing import Any

import hvac
from bullmq import Job, Queue, QueueEvents

import judge
import pii1

TIMEOUT_S = 20


@dataclass(frozen=True)
class Session:
    wrapped: str
    key: bytes
    until: int


def uuid7() -> str:
    number = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0b11 << 62) | 0b10 << 62
    text = f"{number:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class OpenBao:
    def __init__(self, address: str, role_id: str, secret_id: str) -> None:
        self.client = hvac.Client(url=address)
        self.client.auth.approle.login(role_id=role_id, secret_id=secret_id)

    def start_session(self, queue: str, actor: str) -> Session:
        until = int(time.time()) + pii1.DAY
        bound = pii1.to_base64(pii1.session_aad(queue, actor, until))
        answer = self.client.write_data(
            f"transit/datakey/plaintext/queue-{queue}-{actor}", data={"associated_data": bound, "bits": 256}
        )["data"]
        key = pii1.from_base64(answer["plaintext"])
        assert key is not None
        return Session(answer["ciphertext"], key, until)

    def unwrap(self, name: str, wrapped: str, associated: bytes) -> bytes | None:
        try:
            data = {"ciphertext": wrapped, "associated_data": pii1.to_base64(associated)}
            return pii1.from_base64(self.client.write_data(f"transit/decrypt/{name}", data=data)["data"]["plaintext"])
        except (hvac.exceptions.InvalidRequest, hvac.exceptions.Forbidden):
            return None


class Arrivals:
    """Wakes whoever waits for a job on the reply queue. The id of an answer is known beforehand, and it is read by it."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.queue = Queue(name, options)
        # From a little before now, so that no event falls between subscribing and listening.
        since = f"{int((time.time() - 10) * 1_000)}-0"
        self.events = QueueEvents(name, options | {"lastEventId": since})
        self.waiting: dict[str, asyncio.Event] = {}
        self.events.on("waiting", self.arrived)

    def arrived(self, event: dict[str, str], _entry_id: str) -> None:
        if event["jobId"] in self.waiting:
            self.waiting[event["jobId"]].set()

    async def first(self, job_ids: list[str]) -> tuple[str, Any]:
        there = asyncio.Event()
        self.waiting |= dict.fromkeys(job_ids, there)
        try:
            while True:
                there.clear()
                for job_id in job_ids:
                    job = await Job.fromId(self.queue, job_id)
                    if job is not None:
                        await self.queue.remove(job_id)
                        return job.name, job.data
                await there.wait()
        finally:
            for job_id in job_ids:
                del self.waiting[job_id]

    async def close(self) -> None:
        await self.events.close()
        await self.queue.close()


class Producer:
    def __init__(self, config: dict[str, str]) -> None:
        options = {"connection": config["redis"], "prefix": config["prefix"]}
        self.actor, self.reply = config["actor"], config["reply"]
        self.bao = OpenBao(config["bao"], config["role_id"], config["secret_id"])
        self.queues = {name: Queue(name, options) for name in pii1.QUEUES}
        self.sessions = {name: self.bao.start_session(name, self.actor) for name in pii1.QUEUES}
        self.arrivals = Arrivals(self.reply, options)

    async def ask(self, queue: str, body: Any, alter: dict[str, Any]) -> dict[str, Any]:
        session = self.sessions[queue]
        clear: dict[str, Any] = {
            "v": 1,
            "id": uuid7(),
            "actor": self.actor,
            "session": session.wrapped,
            "until": session.until,
            "exp": int(time.time()) + TIMEOUT_S,
            "reply": self.reply,
            "items": len(body["items"]),
        }
        associated = pii1.request_aad(queue, clear)
        sealed = pii1.seal(session.key, secrets.token_bytes(12), pii1.pad_body(body), associated)
        data = clear | {"body": pii1.to_base64(sealed)} | alter
        ticket = {"queue": queue, "request": pii1.digest(sealed)} | {name: data[name] for name in ("id", "items")}
        await self.queues[queue].add(queue, data, {"jobId": data["id"]})

        reply_id, hint_id = f"{queue}.{data['id']}.{ticket['request'][:16]}", f"hint.{queue}.{data['id']}"
        try:
            name, content = await asyncio.wait_for(self.arrivals.first([reply_id, hint_id]), TIMEOUT_S)
        except TimeoutError:
            return {"timeout": True}
        if name == "hint":
            return {"hint": content["code"]}
        return judge.judge_reply(ticket, self.actor, content, self.bao.unwrap)

    async def close(self) -> None:
        await self.arrivals.close()
        for queue in self.queues.values():
            await queue.close()


async def main() -> None:
    producer = Producer(json.loads(sys.stdin.readline()))
    # A blocking read must not hold up the event stream.
    while line := await asyncio.to_thread(sys.stdin.readline):
        command = json.loads(line)
        print(json.dumps(await producer.ask(command["queue"], command["body"], command.get("alter", {}))), flush=True)
    await producer.close()


if __name__ == "__main__":
    asyncio.run(main())
