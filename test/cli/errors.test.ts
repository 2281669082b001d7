import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EXIT_CODE_MEANINGS, exitCodeOf } from '../../src/cli/exit-codes.ts';
import { reportError } from '../../src/cli/lines/error-report.ts';
import { plain } from '../../src/cli/paint.ts';
import { ERROR_CODES, RoomError } from '../../src/core/errors.ts';
import { makeRoom } from './room-folder.ts';

test('every error code has an exit code that the help explains', () => {
  const explained = new Set(EXIT_CODE_MEANINGS.map(([code]) => code));
  for (const code of ERROR_CODES) {
    expect(exitCodeOf(code), code).toBeGreaterThan(0);
    expect(explained, code).toContain(exitCodeOf(code));
  }
});

const failure = new RoomError('invalid_file', "room.yaml can't be read", {
  problems: [
    { path: 'room.yaml', line: 3, col: 9, message: 'unknown key "setle"', hint: 'did you mean "settle"?' },
  ],
  hint: 'mend it, then start again',
});

test('an error says what, where and what to do', () => {
  expect(reportError(failure, false, plain)).toEqual({
    exitCode: 6,
    text: `taskroom: room.yaml can't be read
  room.yaml:3:9 unknown key "setle"; did you mean "settle"?
  mend it, then start again
`,
  });
});

test('with --json it is one JSON object', () => {
  const { text } = reportError(failure, true, plain);
  expect(JSON.parse(text)).toEqual({
    error: { code: 'invalid_file', message: failure.message, hint: failure.hint, problems: failure.problems },
  });
  expect(JSON.parse(reportError(new RoomError('io', 'disk full'), true, plain).text).error).toEqual({
    code: 'io',
    message: 'disk full',
    hint: null,
    problems: [],
  });
});

test('anything else is a bug and shows its stack', () => {
  const { text, exitCode } = reportError(new TypeError('x is undefined'), false, plain);
  expect(exitCode).toBe(70);
  expect(text).toMatch(/^taskroom: this is a bug of taskroom\nTypeError: x is undefined\n {4}at /);
  expect(JSON.parse(reportError('thrown text', true, plain).text).error.code).toBe('bug');
});

test('a message can not steer the terminal', () => {
  const { text } = reportError(new RoomError('not_found', 'no task "\u001b[2J\u0007x"'), false, plain);
  expect(text).toBe('taskroom: no task "x"\n');
});

test('a page of the docs is named by where it lies on this machine', () => {
  const { text } = reportError(
    new RoomError('not_found', 'none', { hint: 'docs/chores.md has more' }),
    false,
    plain,
  );
  const page = /^ {2}(\/.*docs\/chores\.md) has more$/m.exec(text)![1]!;
  expect(existsSync(page)).toBe(true);
  const own = reportError(new RoomError('not_found', 'tasks/docs/chores.md is gone'), false, plain);
  expect(own.text).toContain(' tasks/docs/chores.md is gone');
});

test('a number that nothing has is refused as it was given', async () => {
  const room = makeRoom();
  room.put('Fix the build', 'x\n');
  expect((await room.run(['step', 'Fix the build', '8'])).err).toBe(
    'taskroom: there is no step 8; the task has none\n  steps count from 1\n',
  );
  const refused = await room.run(['resource', 'Fix the build', '--remove', '3', '--json']);
  expect(JSON.parse(refused.err).error.message).toBe('there is no resource 3; the task has none');
});

test('what is missing or does not exist is named in plain words', async () => {
  const room = makeRoom();
  const said = async (...args: string[]) => {
    const { out, err } = await room.run(args);
    return (err || out).split('\n')[0];
  };
  expect(await said('list', '--room', room.at('tasks/x.md'))).toMatch(/x\.md is not there$/);
  expect(await said('list', '--room', room.at('room.yaml'))).toMatch(/room\.yaml is a file$/);
  expect(await said('mirror', 'lst')).toBe('taskroom: there is no command "mirror lst"');
  expect(await said('service', 'lst')).toBe('taskroom: service takes the word install');
  expect(await said('sub', 'Ship it')).toBe('taskroom: no name was given');
  expect(await said('done', '--all', '--label', 'docs')).toBe('· no task fits');
  expect(await said('delete', '--completed')).toBe('· no task fits');
  expect(await said('discard', 'Ship it')).toBe(
    'taskroom: this asks before it begins, and there is no terminal to ask on',
  );
});
