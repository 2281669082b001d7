// An agent that is given work by another one: what it finds is the outcome of its task, which the other is shown.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const LONGEST = 140;
const lines = readFileSync('README.md', 'utf8').split('\n');
const long = lines.filter((line) => line.length > LONGEST).length;
const outcome = `${long} of ${lines.length} lines are longer than ${LONGEST} characters.`;
execFileSync('taskroom', ['done', '--outcome', outcome], { stdio: ['ignore', 'ignore', 'inherit'] });
