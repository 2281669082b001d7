// Mirrors as lines of a terminal.
import type { MirrorJson } from '../../../core/chore-shapes.ts';
import type { OutputOf } from '../../../operations/client.ts';
import { cleanLine, displayWidth, fit } from '../lines/display-text.ts';
import { lengthOf } from '../lines/time-text.ts';
import type { Paint } from '../paint.ts';

const STATE_COLOURS = {
  in_sync: 'green',
  pending: 'cyan',
  conflict: 'yellow',
  detached: 'dim',
  untrusted: 'yellow',
  error: 'red',
} as const;

const STATE_WORDS: Readonly<Record<MirrorJson['state'], string>> = {
  in_sync: 'in sync',
  pending: 'pending',
  conflict: 'conflict',
  detached: 'detached',
  untrusted: 'paused by trust',
  error: 'error',
};

/** One line a mirror: state, reference, task, when it was last synced; why it is not in sync below. */
export function mirrorLines(
  { mirrors }: OutputOf<'listMirrors'>,
  paint: Paint,
  _columns: number | null,
  nowMs: number,
): string[] {
  if (mirrors.length === 0) return [paint('dim', 'no mirrors; see: taskroom sync --help')];
  const wideRef = Math.min(40, Math.max(0, ...mirrors.map(({ ref }) => displayWidth(cleanLine(ref)))));
  const wideState = Math.max(...Object.values(STATE_WORDS).map((word) => word.length));
  return mirrors.flatMap(({ state, ref, name, task, message, synced_at }) => {
    const word = fit(STATE_WORDS[state], wideState);
    const when = synced_at === null ? 'never synced' : `${lengthOf(nowMs - Date.parse(synced_at))} ago`;
    const line = `${paint(STATE_COLOURS[state], word)}  ${fit(cleanLine(ref), wideRef)}  ${cleanLine(name ?? '(no file)')} ${paint('dim', `${task} · ${when}`)}`;
    return message === null
      ? [line]
      : [line, `${' '.repeat(wideState)}  ${paint('dim', cleanLine(message))}`];
  });
}
