// An agent without a model: it checks an issue against the team's template, asks once for what is missing, and closes it
// with the answer. It shows all a command agent needs: the context in a file, and `taskroom` on its PATH.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const {
  task,
  task_services: services,
  answers = [],
  missing = [],
} = JSON.parse(readFileSync(process.env.TASKROOM_CONTEXT, 'utf8'));
const id = process.env.TASKROOM_TASK;
const taskroom = (args, input = '') =>
  execFileSync('taskroom', args, { input, stdio: ['pipe', 'ignore', 'inherit'] });

/** Headings of the template, each with the question to ask when it has no text below it. */
const TEMPLATE = [
  ['Steps to reproduce', 'What did you do, step by step?'],
  ['Expected', 'What did you expect to happen?'],
  ['Version', 'Which version is it?'],
];

/** The requester's own words: what stands between the body markers. */
function wordsOf(body) {
  return /<!-- body (\w+) -->\r?\n([\s\S]*?)\r?\n?<!-- \/body \1 -->/.exec(body)?.[2] ?? body;
}

/** The text below a heading, up to the next one. */
function below(words, heading) {
  const lines = words.split(/\r?\n/);
  const at = lines.findIndex(
    (line) =>
      line
        .replace(/^#+\s*|[*:]/g, '')
        .trim()
        .toLowerCase() === heading.toLowerCase(),
  );
  if (at < 0) return '';
  const end = lines.findIndex((line, index) => index > at && /^#+\s/.test(line));
  return lines
    .slice(at + 1, end < 0 ? undefined : end)
    .join('\n')
    .trim();
}

for (const { service, what, how } of missing) console.log(`without ${service}: ${what}; ${how}`);
const lacking = TEMPLATE.filter(([heading]) => below(wordsOf(task.body), heading) === '');
const found = `${TEMPLATE.length - lacking.length} of ${TEMPLATE.length} parts are there`;

if (lacking.length === 0) {
  console.log('complete');
  taskroom(['progress', id, `Checked ${task.ref.replace(/^task:/, '')} against the template: ${found}`]);
  taskroom([
    'done',
    id,
    '--outcome',
    'The report is complete: steps, expectation and version are there. Triaged.',
  ]);
} else if (answers.length > 0) {
  // Asked once: what came of it counts as it is, also that a person took the question away.
  console.log('answered');
  const said = answers.flatMap(({ answers: given }) => given);
  const lines = said.map(({ author, text }) => `${author ?? 'the owner'} answered:\n\n${text}`);
  taskroom(['done', id, '--outcome', '-'], ['Triaged.', ...lines].join(' '));
} else if (services.comment) {
  console.log(`asking for ${lacking.length}`);
  const list = lacking.map(([heading, question]) => `- **${heading}**: ${question}`).join('\n');
  taskroom(['ask', id, '-'], `To look into it we also need:\n\n${list}`);
} else {
  console.log('nobody can be asked');
  const names = lacking.map(([heading]) => heading).join(', ');
  taskroom(['progress', id, `${found}. Missing: ${names}. The question could not be posted.`]);
}
