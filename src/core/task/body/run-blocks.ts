// The blocks that a runbook runs: ```` ```sh run ```` fences in what the person wrote, never in answers or in text from elsewhere.
import type { Fence } from '../../markdown/blocks.ts';
import { readSections, type SectionReading } from './sections.ts';

/** Sections that hold answers, not requests. */
const NOT_INPUT = ['Questions', 'Progress', 'Outcome', 'Comments'];
const RUN_INFO = /^sh[ \t]+run$/;

export type RunBlocks = { ok: true; fences: Fence[] } | { ok: false; message: string };

/** @param body a text after its front matter */
export function findRunBlocks(body: string, reading: SectionReading = readSections(body)): RunBlocks {
  const { sections, foreign, scan } = reading;
  const failed = (message: string) => ({ ok: false, message }) as const;
  if (foreign !== null)
    return failed(
      'a runbook runs no text that came from elsewhere; move the blocks out of the mirrored body',
    );
  const answers = sections.filter(({ name, known }) => known && NOT_INPUT.includes(name));
  const isAnswer = (at: number) => answers.some(({ start, end }) => at >= start && at < end);
  const fences = scan.fences.filter(({ start, info }) => RUN_INFO.test(info.trim()) && !isAnswer(start));
  if (fences.some(({ closed }) => !closed))
    return failed('the last "sh run" block is not closed; end it with a line of ```');
  return { ok: true, fences };
}
