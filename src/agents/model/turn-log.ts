// What a model's turn tells while it works: on disk first, in one line an event, then to whoever follows the turn.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { AgentEvent } from '../../core/rules/agent-event.ts';
import { OUTPUT_FILE } from '../process/wrapper.ts';
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
    /** Resolves when it is on disk. */
    say(event: AgentEvent) {
      writing = writing.then(() => write(`${JSON.stringify(event)}\n`));
      return writing;
    },
    /** To whoever follows the turn alone. */
    tell,
    /** What was told, until the log is closed. */
    events: (): AsyncIterable<RunnerEvent> => events,
    async close() {
      await writing.catch(() => {});
      events.push(null);
      await file.close();
    },
  };
}
