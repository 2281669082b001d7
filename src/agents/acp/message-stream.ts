// An agent's pipes as a stream of messages of the protocol, kept in its output as they come in.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { OUTPUT_FILE } from '../process/process-identity.ts';
import type { ProgramPipes } from '../process/run-process.ts';
import { NOTE } from './output-reader.ts';

const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

export interface MessageStream {
  stream: Stream;
  note(text: string): Promise<void>; // Writes a note of ours between the lines of the agent.
  end(): void;
  close(): Promise<void>; // Resolves when what came in is on disk and nothing more is read.
}

// What comes in is on disk before it is read, and only a message that can be meant for us passes: the SDK would write of
// anything else to the runtime's own log.
export async function openMessages(pipes: ProgramPipes, dir: string): Promise<MessageStream> {
  const log = await open(join(dir, OUTPUT_FILE), 'a');
  // An agent that is gone says so by the end of its output.
  pipes.stdin.on('error', () => {});
  // Chunks are written one after another, so that an agent that says more than the disk takes waits.
  const logged = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await log.appendFile(chunk);
      controller.enqueue(chunk);
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
    async note(text) {
      if (!isClosed) await log.appendFile(`${JSON.stringify({ [NOTE]: text })}\n`);
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
