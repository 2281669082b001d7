// An agent without a model: it checks an issue against the team's template and answers with what is missing. It shows
// all a command agent needs: the context in a file, and `taskroom` on its PATH.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const {
  task,
  task_services: services,
  missing = [],
} = JSON.parse(readFileSync(process.env.TASKROOM_CONTEXT, 'utf8'));
const id = process.env.TASKROOM_TASK;
const taskroom = (...args) => execFileSync('taskroom', args, { stdio: ['ignore', 'ignore', 'inherit'] });

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
const questions = TEMPLATE.filter(([heading]) => below(wordsOf(task.body), heading) === '');
taskroom(
  'progress',
  id,
  `Checked ${task.ref.replace(/^task:/, '')} against the template: ${TEMPLATE.length - questions.length} of ${TEMPLATE.length} parts are there`,
);

if (questions.length === 0) {
  console.log('complete');
  taskroom(
    'done',
    id,
    '--outcome',
    'The report is complete: steps, expectation and version are there. Triaged.',
  );
} else if (services.comment) {
  console.log(`asking for ${questions.length}`);
  const list = questions.map(([heading, question]) => `- **${heading}**: ${question}`).join('\n');
  taskroom('comment', id, `Thank you for the report. To look into it we also need:\n\n${list}`);
} else {
  console.log('nobody can be asked');
  taskroom(
    'progress',
    id,
    `Missing: ${questions.map(([heading]) => heading).join(', ')}. The question could not be posted.`,
  );
}
