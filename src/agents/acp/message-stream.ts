// An agent's pipes as a stream of protocol messages. What comes in is on disk before it is looked at, and nothing but a
// message that can be meant for us gets any further: the SDK would write of anything else to the runtime's own log.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { type AnyMessage, ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import type { ProgramPipes } from '../process/run-process.ts';
import { OUTPUT_FILE } from '../process/wrapper.ts';

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export interface MessageStream {
  stream: Stream;
  /** Puts a line of ours between those of the agent. */
  note(line: object): Promise<void>;
  end(): void;
  /** Resolves when what came in is on disk and nothing more is read. */
  close(): Promise<void>;
}

/** @param dir absolute path of the turn's folder */
export async function openMessages(pipes: ProgramPipes, dir: string): Promise<MessageStream> {
  const log = await open(join(dir, OUTPUT_FILE), 'a');
  // An agent that is gone says so by the end of its output.
  pipes.stdin.on('error', () => {});
  // One piece after the other, so that an agent that says more than the disk takes waits.
  const logged = new TransformStream<Uint8Array, Uint8Array>({
    async transform(piece, controller) {
      await log.appendFile(piece);
      controller.enqueue(piece);
    },
  });
  const { readable, writable } = ndJsonStream(
    Writable.toWeb(pipes.stdin),
    (Readable.toWeb(pipes.stdout) as ReadableStream<Uint8Array>).pipeThrough(logged),
    { maxMessageBytes: MAX_MESSAGE_BYTES },
  );
  const asked = new Set<unknown>();
  const writer = writable.getWriter();
  const outgoing = new WritableStream<AnyMessage>({
    write(message) {
      if ('method' in message && 'id' in message) asked.add(message.id);
      return writer.write(message);
    },
  });
  const incoming = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (isForUs(message, asked)) controller.enqueue(message);
    },
  });
  let isClosed = false;
  return {
    stream: { readable: readable.pipeThrough(incoming), writable: outgoing },
    async note(line) {
      if (!isClosed) await log.appendFile(`${JSON.stringify(line)}\n`);
    },
    end: () => pipes.stdin.end(),
    async close() {
      if (isClosed) return;
      isClosed = true;
      pipes.stdin.destroy();
      pipes.stdout.destroy();
      await log.close();
    },
  };
}

function isForUs(message: object, asked: Set<unknown>): boolean {
  if ('method' in message) return typeof message.method === 'string';
  if (!('id' in message && ('result' in message || 'error' in message))) return false;
  return asked.delete(message.id);
}
