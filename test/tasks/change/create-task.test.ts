import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safeFileName, shortenName } from '../../../src/core/task/names.ts';
import { readTask } from '../../../src/core/task/read-task.ts';
import { passedOver } from '../../../src/store/files/scan.ts';
import { forAll, forAllAsync } from '../../support/for-all.ts';
import { rig, withAgents } from '../each-room.ts';
import { AGENT, codeOf, failureOf, PERSON } from '../test-room.ts';

withAgents({ coder: {}, guest: { tasks: false } });

describe('file names', () => {
  test.each([
    ['Fix the build', 'Fix the build'],
    ['  spaced\tout \n name ', 'spaced out name'],
    ['a/b\\c', 'a-b-c'],
    ['.hidden', 'hidden'],
    ['../../etc/passwd', '-..-etc-passwd'],
    ['Fix it. ', 'Fix it'],
    ['Fix it.md', 'Fix it'],
    ['Fix it.md.MD', 'Fix it'],
    ['CON', 'CON_'],
    ['con.txt', 'con_.txt'],
    ['nul\u0000byte', 'nul byte'],
    ['evil\u202egnp', 'evilgnp'],
    ['Why: now?', 'Why- now-'],
    ['Ærøskøbing 東京 👩‍💻', 'Ærøskøbing 東京 👩‍💻'],
    ['e\u0301tude', '\u00e9tude'],
    ['é'.repeat(150), 'é'.repeat(100)],
  ])('%j becomes %j', (words, name) => expect(safeFileName(words)).toBe(name));

  test.each(['', ' ', '...', '.md', '\u0000', '\u202e', '- -', '/'])('%j can be no name', (words) => {
    expect(safeFileName(words)).toBeNull();
  });

  test.each([
    ['ab👍', 6, 'ab👍'],
    ['ab👍', 5, 'ab'],
    ['日本', 4, '日'],
    ['any', 0, ''],
    ['any', -3, ''],
  ])('%j in %i bytes is %j', (name, bytes, short) => expect(shortenName(name, bytes)).toBe(short));

  test('any words give a name that is its own safe name, or none', () => {
    forAll(
      300,
      fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme', maxLength: 300 })),
      (words) => {
        const name = safeFileName(words);
        if (name === null) return;
        expect(safeFileName(name)).toBe(name);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
        expect(name).not.toMatch(/[/\\\p{Cc}]|^[.\s]|[.\s]$/u);
        expect(passedOver(`${name}.md`)).toBeNull();
      },
    );
  });
});

test('a person gets the recommended sections and a todo task', async () => {
  const { id, path, changed } = await rig.call('create', {
    name: 'Fix the build',
    description: 'It is red.\n\nMake it green.',
  });
  expect(path).toBe('tasks/Fix the build.md');
  expect(changed).toBe(true);
  expect(rig.read(path)).toBe(
    `---\nid: ${id}\nrequester: owner\nstatus: todo\npaused: false\ncreated: "2040-01-02T03:04:05.000Z"\ncreated_by: owner\n---\n\n## Task\nIt is red.\n\nMake it green.\n\n## Notes\n\n## Progress\n\n## Outcome\n`,
  );
  expect(rig.events).toMatchObject([{ type: 'task.seen', id, name: 'Fix the build', status: 'todo' }]);
});

test('given keys are written, references as ids', async () => {
  const first = await rig.call('create', { name: 'First' });
  const plain = {
    title: 'The: second',
    owner: 'coder',
    priority: 'high',
    sprint: '12',
    status: 'draft',
  } as const;
  const links = { blocked_by: ['First'], parent: first.id.slice(0, 5) };
  const given = { name: 'Second', ...plain, ...links, labels: ['a', 'b, c', 'a'] };
  const { path } = await rig.call('create', given);
  const written = { ...plain, labels: ['a', 'b, c'], blockedBy: [first.id], parent: first.id };
  expect(readTask(path, rig.read(path), null)).toMatchObject({ ok: true, task: written });
});

test('an agent owns what it makes, and cannot make it in another name', async () => {
  const coder = { ...AGENT, agent: 'coder' } as typeof AGENT;
  const { path } = await rig.call('create', { name: 'Sub', description: '## Outcome\nforged\n```' }, coder);
  const text = rig.read(path);
  expect(readTask(path, text, null)).toMatchObject({
    ok: true,
    task: { owner: 'coder', requester: 'agent:coder', createdBy: 'agent:coder' },
  });
  expect(text.match(/^## Outcome$/gm)).toHaveLength(1);
  const failure = await failureOf(rig.call('create', { name: 'Other', requester: 'owner' }, AGENT));
  expect(failure.code).toBe('not_allowed');
});

test('an unknown owner is refused with the agents there are', async () => {
  const failure = await failureOf(rig.call('create', { name: 'X', owner: 'codr' }));
  expect(failure).toMatchObject({ code: 'bad_input', hint: 'did you mean coder?' });
  expect(failure.message).toContain('coder, guest, runbook');
});

test('an unknown blocker, a name that is none and a taken name are refused', async () => {
  await rig.call('create', { name: 'Taken' });
  const before = rig.read('tasks/Taken.md');
  expect(await failureOf(rig.call('create', { name: 'X', blocked_by: ['Takn'] }))).toMatchObject({
    code: 'bad_input',
    hint: 'did you mean "Taken"?',
  });
  expect(await codeOf(rig.call('create', { name: '...' }))).toBe('bad_input');
  expect(await codeOf(rig.call('create', { name: 'Taken', description: 'other' }))).toBe('conflict');
  expect(await codeOf(rig.call('create', { name: 'Big', description: 'x'.repeat(1024 * 1024) }))).toBe(
    'bad_input',
  );
  expect(rig.read('tasks/Taken.md')).toBe(before);
  expect(rig.names('tasks')).toEqual(['Taken.md']);
});

test('a body with sections of its own keeps them', async () => {
  const body = 'Intro\n\n## Steps\n- [ ] one\n\n## Notes\nmine';
  const { path } = await rig.call('create', { name: 'Own', description: body });
  const text = rig.read(path);
  expect(text.slice(text.indexOf('\n\n') + 2)).toBe(`## Task\n${body}\n\n## Progress\n\n## Outcome\n`);
  const whole = '## Task\nx\n\n## Outcome\ny';
  const second = await rig.call('create', { name: 'Whole', description: whole });
  const again = rig.read(second.path);
  expect(again.slice(again.indexOf('\n\n') + 2)).toBe(`${whole}\n\n## Notes\n\n## Progress\n`);
});

test('any body gives a readable task whose sections stand after it', { timeout: 120_000 }, async () => {
  const line = fc.constantFrom(
    ...['text', '```', '~~~ x', '## Notes', '# Top', '<!-- c', '<pre>', '> q', '- [ ] s', '---', '***'],
    ...['\tcode', '', '<!-- body aaaaaaaaaa -->', 'ü\u0000\u202e\ud800'],
  );
  let count = 0;
  await forAllAsync(60, fc.array(line, { maxLength: 8 }), fc.boolean(), async (lines, byAgent) => {
    count += 1;
    const { path, id } = await rig.call(
      'create',
      { name: `T${count}`, description: lines.join('\n') },
      byAgent ? AGENT : PERSON,
    );
    const reading = readTask(path, rig.read(path), null);
    expect(reading).toMatchObject({ ok: true, task: { id, status: 'todo' } });
    const detail = await rig.call('outcome', { ref: id, text: 'the result' });
    expect(detail.changed).toBe(true);
    const { body } = await rig.call('show', { ref: id });
    const { readOutcome } = await import('../../../src/core/task/body/entries.ts');
    expect(readOutcome(body).at(-1)?.text).toBe('the result');
    await rig.call('remove', { ref: id });
  });
});
