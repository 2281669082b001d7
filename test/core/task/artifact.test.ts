import { expect, test } from 'vitest';
import { isFinal, isPlan, readArtifact } from '../../../src/core/task/artifact.ts';
import { artifactNameOf } from '../../../src/core/task/names.ts';

test('type and stage are words in any case; without them a document is a draft of nothing', () => {
  const read = (text: string) => {
    const reading = readArtifact('artifacts/A.md', text);
    if (!reading.ok) throw new Error('unreadable');
    return reading.artifact;
  };
  expect(read('---\ntype: Plan\nstage: FINAL\n---\n')).toMatchObject({
    name: 'A',
    type: 'Plan',
    stage: 'FINAL',
  });
  expect(isPlan(read('---\ntype: Plan\n---\n'))).toBe(true);
  expect(isFinal(read('---\nstage: FINAL\n---\n'))).toBe(true);
  expect([isPlan(read('words')), isFinal(read('words'))]).toEqual([false, false]);
  expect(readArtifact('artifacts/A.md', '---\ntype: [\n---\n')).toMatchObject({ ok: false });
});

test.each([['Auth'], ['Auth.md'], ['artifacts/Auth.md'], [' ./artifacts/Auth ']])(
  '%j names Auth',
  (written) => {
    expect(artifactNameOf(written)).toBe('Auth');
  },
);
