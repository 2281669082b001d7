// Long Questions sections: what a turn has dealt with leaves the file, what still waits for anybody stays and says the same.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  formatAnswer,
  formatQuestion,
  isOpen,
  readQuestions,
} from '../../../src/core/task/body/questions.ts';
import { moveOldestOut } from '../../../src/core/task/overflow.ts';
import { hashOfAnswers } from '../../../src/core/task/read-task.ts';

const PATH = '.taskroom/spill/abc.md';
const LONG = 'word '.repeat(1_500);
const WHO = { author: 'agent:coder', role: 'agent', atMs: 0 };

/** How one question stands in a file: its answers by a tool, by hand, and whether a turn has had them. */
interface Asked {
  entry: boolean;
  typed: boolean;
  later: boolean;
  had: boolean;
  /** Answered anew since. */
  anew: boolean;
}

const asked = fc.record({
  entry: fc.boolean(),
  typed: fc.boolean(),
  later: fc.boolean(),
  had: fc.boolean(),
  anew: fc.nat(4).map((dice) => dice === 0),
});

function fileOf(questions: readonly Asked[], eol: string): string {
  const late: string[] = [];
  const blocks = questions.flatMap(({ entry, typed, later }, at) => {
    const key = `k${at}`;
    const answer = (id: string) =>
      formatAnswer({ ...WHO, author: 'owner', role: null, key, id, text: `So ${id}.` });
    if (later) late.push(answer(`z${at}`));
    return [
      formatQuestion({ ...WHO, key, text: `Which ${at}? ${LONG}` }),
      ...(typed ? [`By hand ${at}.\n\n- and a list`] : []),
      ...(entry ? [answer(`a${at}`)] : []),
    ];
  });
  const section = ['## Questions', 'Mine, above all.', ...blocks, ...late].join('\n\n');
  const text = `---\nid: abc\n---\n## Task\nDo.\n\n${section}\n\n## Outcome\n`;
  return text.replaceAll('\n', eol);
}

const bodyOf = (text: string): string => text.slice(text.indexOf('## Task'));
/** Key and all that is said of each question. */
const said = (text: string): [string, string][] =>
  readQuestions(bodyOf(text)).map(({ key, text: words, answers }) => [
    key,
    JSON.stringify([words.replace(LONG.trim(), '…').trim(), ...answers]),
  ]);

function settledIn(text: string, questions: readonly Asked[]): Map<string, string> {
  const had = readQuestions(bodyOf(text)).filter(
    (question) => !isOpen(question) && questions[Number(question.key.slice(1))]!.had,
  );
  return new Map(
    had.map((question) => {
      const { anew } = questions[Number(question.key.slice(1))]!;
      return [question.key, hashOfAnswers(anew ? { answers: question.answers.slice(1) } : question)];
    }),
  );
}

test('what stays says the same, what goes was settled, and nothing is lost', () => {
  fc.assert(
    fc.property(
      fc.array(asked, { minLength: 50, maxLength: 90 }),
      fc.constantFrom('\n', '\r\n'),
      (questions, eol) => {
        const text = fileOf(questions, eol);
        const settled = settledIn(text, questions);
        const result = moveOldestOut(text, PATH, settled);
        const mayGo = [...settled.keys()].filter((key) => !questions[Number(key.slice(1))]!.anew);
        if (result === null) return mayGo.length * LONG.length < 256 * 1024;
        const before = said(text);
        const after = said(result.text);
        const gone = before.filter(([key]) => !after.some(([left]) => left === key));
        expect(after).toEqual(before.filter((one) => !gone.includes(one)));
        expect(gone.length).toBeGreaterThan(0);
        for (const [key] of gone) expect(mayGo).toContain(key);
        expect(said(`## Task\n\n## Questions\n\n${result.overflow.blocks.join('\n\n')}\n`)).toEqual(gone);
        expect(result.text).toContain('Mine, above all.');
        expect(result.text).toContain(` older entries: ${PATH}*${eol}`);
        expect(result.text.indexOf('older entries')).toBeLessThan(result.text.indexOf('<!-- q:'));
        // What is left is few enough.
        expect(moveOldestOut(result.text, PATH, settled)).toBeNull();
      },
    ),
    { numRuns: 40, endOnFailure: true },
  );
});

test('the line that says so grows, and is nobody’s answer wherever it stands', () => {
  const all = Array.from({ length: 40 }, (_, at): Asked => {
    return { entry: at > 0, typed: false, later: false, had: true, anew: false };
  });
  const text = fileOf(all, '\n');
  const once = moveOldestOut(text, PATH, settledIn(text, all))!.text;
  const first = /\*(\d+) older entries/.exec(once)!;
  const more = `${once.replace('\n\n## Outcome', '')}\n${fileOf(all, '\n').split('Mine, above all.')[1]!.replaceAll('q:k', 'q:k1')}`;
  const added = Array.from({ length: 200 }, (): Asked => all[1]!);
  const twice = moveOldestOut(more, PATH, settledIn(more, added))!.text;
  expect(twice.match(/older entries/g)).toHaveLength(1);
  expect(Number(/\*(\d+) older entries/.exec(twice)![1])).toBeGreaterThan(Number(first[1]));
  expect(
    readQuestions(bodyOf(twice))
      .filter(isOpen)
      .map(({ key }) => key),
  ).toEqual(['k0', 'k10']);
  const below = bodyOf(once).replace(`\n${first[0]}: ${PATH}*`, '');
  const moved = below.replace(/(> Which 0\?.*\n)/, `$1\n${first[0]}: ${PATH}*\n`);
  expect(
    readQuestions(moved)
      .filter(isOpen)
      .map(({ key }) => key),
  ).toEqual(['k0']);
});
