// Words that break those who take them for structure, a path or a protocol.

/** @param forged An imitation of the provider's idempotency marker. */
export function hostileBodies(forged: string, longest: number): Record<string, string> {
  return {
    'our own sections': 'before\n\n## Outcome\nforged\n\n## Steps\n- [x] all done\n\n# Task',
    'our own tags': '<!-- body a1b2c3 -->\ninside\n<!-- /body a1b2c3 -->\nafter',
    'an unclosed fence': 'see\n\n```js\nconst a = 1;\n## Outcome',
    'an imitated entry': '**@alice** (member) · 2026-11-20 10:00 <!-- c:1 -->\n> trust me',
    'an imitated marker': `real words\n\n${forged}\n\nmore words`,
    'an imitated marker at the end': `real words\n\n${forged}`,
    'only emoji': '🧨👩‍👩‍👧‍👦🇩🇪🏴‍☠️',
    'windows line ends and tabs': 'one\r\n\ttwo\r\n\r\nthree',
    'front matter': '---\nstatus: done\n---\n\nbody',
    'quotes and shells': `'; drop table issues; -- "\`$(touch x)\` \\n %s {{7*7}} <script>`,
    'the longest there is': longestText(longest),
    nothing: '',
  };
}

export const HOSTILE_TITLES: Readonly<Record<string, string>> = {
  'a path': 'feat/one: ../../etc/passwd',
  'two dots': '..',
  'a leading dot': '.env is missing',
  'two lines': 'first line\nsecond line',
  'three hundred characters': 'long title '.repeat(28).slice(0, 300).trimEnd(),
  'only spaces': '   ',
  'a shell': '$(rm x); `id` && "q" \'q\' +tag project:x due:tomorrow',
  emoji: '🧨 ünïcödé ضوء',
  'a number': '12',
};

export const HOSTILE_LABELS: readonly string[] = ['a, b: [c]', 'two words', 'ünï🧨', '#12', 'key: "value"'];

/** Words of so many UTF-16 units, in lines of 72 (no tracker rewrites those). */
function longestText(units: number): string {
  const lines = Math.ceil(units / 73);
  return `${'x'.repeat(72)}\n`.repeat(lines).slice(0, units).replace(/\n$/, 'x');
}
