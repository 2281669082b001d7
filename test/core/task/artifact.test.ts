import { expect, test } from 'vitest';
import { isFinal, isPlan, readArtifact, stepsToMake } from '../../../src/core/task/artifact.ts';
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

test('steps are told apart by their title and place among the same', () => {
  const step = (title: string, more: object = {}) => ({
    title,
    details: '',
    done: false,
    task: null,
    ...more,
  });
  const steps = [
    step('A'),
    step('A', { task: 'x1' }),
    step('A'),
    step('B', { done: true }),
    step('B'),
    step(''),
  ];
  expect(stepsToMake(steps).map(({ index, key }) => [index, key])).toEqual([
    [0, '1 A'],
    [2, '3 A'],
    [4, '2 B'],
  ]);
});

test.each([['Auth'], ['Auth.md'], ['artifacts/Auth.md'], [' ./artifacts/Auth ']])(
  '%j names Auth',
  (written) => {
    expect(artifactNameOf(written)).toBe('Auth');
  },
);
