// A monitor's eyes: whole lines of its output that hold one of its words are noted in its task, each once, so many at most.
import { matchesWatch, watchWords } from '../../core/rules/watch.ts';
import type { Client } from '../../operations/client.ts';
import type { JobRecord } from '../../store/ledger/turns/jobs.ts';
import type { TaskRoom } from '../../tasks/task-room.ts';

/** Lines that a monitor reports in all. */
const MAX_LINES = 20;
const MAX_LINE = 300;
const READ_BYTES = 256 * 1024;

/**
 * Looks through what was printed since the last look. What was looked through is on record after its lines are noted.
 * @param whole the job ended: a last line without an end is one too
 */
export async function watchOutput(
  { ledger }: TaskRoom,
  tasks: Client,
  { id, task, watch, description }: JobRecord,
  redact: (text: string) => string,
  whole: boolean,
): Promise<void> {
  if (watch === null) return;
  const words = watchWords(watch);
  for (;;) {
    const { watched, reported } = ledger.jobs.get(id) ?? { watched: 0, reported: MAX_LINES };
    if (reported >= MAX_LINES) return;
    const { text, next } = await tasks.call(
      'turnOutput',
      { turn: id, offset: watched, limit: READ_BYTES },
      { kind: 'runtime' },
    );
    const isLast = next - watched < READ_BYTES / 2;
    const end = whole && isLast ? text.length : text.lastIndexOf('\n') + 1;
    // A line longer than all that is read at once is looked at in parts.
    const taken = end === 0 && !isLast ? text : text.slice(0, end);
    if (taken === '') return;
    let count = reported;
    for (const [nth, line] of taken.split('\n').entries()) {
      if (count >= MAX_LINES || !matchesWatch(words, line)) continue;
      count += 1;
      const more = count === MAX_LINES ? ' (the last one that is noted)' : '';
      const said = `${description}: ${redact(line).trim().slice(0, MAX_LINE)}${more}`;
      const key = `${id}:${watched}:${nth}`;
      await tasks.call('note', { ref: task, text: said, key }, { kind: 'runtime' });
    }
    ledger.jobs.update(id, { watched: watched + Buffer.byteLength(taken), reported: count });
    if (isLast) return;
  }
}
