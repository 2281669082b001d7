// The output of a model's turn, one event a line: written while the turn works, and read by whoever shows or follows it.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AgentEvent } from '../../core/rules/turn.ts';
import { type EventReader, readByType } from '../command/reading/events.ts';
import { countOf, fieldsOf, textOf } from '../command/reading/fields.ts';
import { OUTPUT_FILE } from '../process/process-identity.ts';
import type { RunnerEvent } from '../runner.ts';

export type TurnLog = Awaited<ReturnType<typeof openTurnLog>>;

/** @param dir absolute path of the turn's folder */
export async function openTurnLog(dir: string) {
  const file = await open(join(dir, OUTPUT_FILE), 'a');
  const events = new Readable({ objectMode: true, read: () => {} });
  let bytes = (await file.stat()).size;
  let writing: Promise<void> = Promise.resolve();
  const tell = (event: RunnerEvent) => void events.push(event);
  const write = async (line: string) => {
    await file.appendFile(line);
    bytes += Buffer.byteLength(line);
    tell({ type: 'output', bytes });
  };
  return {
    /** Writes an event into the output; resolves when it is on disk. */
    say(event: AgentEvent) {
      writing = writing.then(() => write(`${JSON.stringify(event)}\n`));
      return writing;
    },
    /** Tells an event to whoever follows the turn, not to its output. */
    tell,
    events: (): AsyncIterable<RunnerEvent> => events, // What was told, until the log is closed.
    async close() {
      await writing.catch(() => {});
      events.push(null);
      await file.close();
    },
  };
}

// The file may hold anything by the time it is read: every value is looked at.
export const MODEL_FORMAT: { reader(): EventReader } = {
  reader: () =>
    readByType({
      session: ({ id }) => [{ type: 'session', id: textOf(id) }],
      text: ({ text, partial }) => [{ type: 'text', text: textOf(text), partial: partial === true }],
      tool: ({ name, input }) => [{ type: 'tool', name: textOf(name), input: textOf(input) }],
      result: ({ text, failed }) => [{ type: 'result', text: textOf(text), failed: failed === true }],
      usage: ({ usage }) => {
        const { inputTokens, outputTokens, costUsd: cost } = fieldsOf(usage);
        const costUsd = typeof cost === 'number' ? cost : null;
        const used = { inputTokens: countOf(inputTokens), outputTokens: countOf(outputTokens), costUsd };
        return [{ type: 'usage', usage: used }];
      },
      alive: () => [{ type: 'alive' }],
      end: ({ failed }) => [{ type: 'end', failed: failed === true }],
      trouble: ({ trouble }) => [{ type: 'line', text: textOf(fieldsOf(trouble).message) }],
      line: ({ text }) => [{ type: 'line', text: textOf(text) }],
    }),
};
