// What is put to the proof: each coding agent, by its preset of the command runner and over the Agent Client Protocol.

import { ACP_PROGRAMS } from '../../src/agents/acp/programs.ts';
import { PRESETS } from '../../src/agents/command/presets.ts';
import { PRESET_NAMES, type PresetName } from '../../src/core/config/agent-config.ts';

export type Way = 'command' | 'acp';

export type Subject = { preset: PresetName; runner: Way };

export const SUBJECTS: readonly Subject[] = (['command', 'acp'] as const).flatMap((runner) =>
  PRESET_NAMES.map((preset) => ({ preset, runner })),
);

/** As it is named on the command line and in files: `claude`, `claude:acp`. */
export const labelOf = ({ preset, runner }: Subject): string => (runner === 'acp' ? `${preset}:acp` : preset);

/** The program that is talked to, with the version that is proved. */
export function provedProgram({ preset, runner }: Subject): string {
  const { program, proved } = runner === 'acp' ? ACP_PROGRAMS[preset] : PRESETS[preset];
  return `${program} ${proved}`;
}

/** Those of the words; `claude` is both of its ways, `claude:command` and `claude:acp` are one. Without words all. */
export function chooseSubjects(words: readonly string[]): readonly Subject[] {
  const known = SUBJECTS.map((subject) => ({
    subject,
    names: [subject.preset, `${subject.preset}:${subject.runner}`, subject.runner] as string[],
  }));
  const unknown = words.filter((word) => !known.some(({ names }) => names.includes(word)));
  if (unknown.length > 0)
    throw new Error(
      `no agent ${unknown.join(', ')}; there are ${PRESET_NAMES.join(', ')}, each also with :command or :acp`,
    );
  if (words.length === 0) return SUBJECTS;
  return known
    .filter(({ names }) => names.some((name) => words.includes(name)))
    .map(({ subject }) => subject);
}
