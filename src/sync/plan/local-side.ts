// Reads a task file as the local side of a mirror: its fields, its comments, and the sections that go upstream.
import { parseDocument } from '../../core/document/document.ts';
import { endWithoutBlanks } from '../../core/markdown/lines.ts';
import { type CommentEntry, readComments, readOutcome, readProgress } from '../../core/task/body/entries.ts';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';
import { type Question, questionMark, readQuestions } from '../../core/task/body/questions.ts';
import { readSections, type SectionName, sectionsNamed } from '../../core/task/body/sections.ts';
import { readList, type StatusWords } from '../../core/task/key-kinds.ts';
import { hashText, readTask } from '../../core/task/read-task.ts';
import { statusWord } from '../../core/task/status.ts';
import type { Task } from '../../core/task/task.ts';
import { LOCAL_KEYS } from './fields.ts';
import type { LocalFields, LocalSide } from './plan-data.ts';

/** The fields that keys of the task say. */
type KeyFields = Omit<Pick<Task, keyof LocalFields & keyof Task>, 'status'>;

/** The file's side of a mirror; null when it can't be read as a task, or has no id. */
export function readLocalSide(path: string, text: string, words: StatusWords): LocalSide | null {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return null;
  const reading = readTask(path, text, words, hashText(text), parsed);
  if (!reading.ok || reading.task.id === null) return null;
  const { task } = reading;
  const body = text.slice(parsed.doc.bodyStart);
  const sections = readSections(body);
  const contentOf = (name: SectionName) =>
    sectionsNamed(sections, name)
      .map((section) =>
        body.slice(section.contentStart, endWithoutBlanks(body, section.end, section.contentStart)),
      )
      .join('\n')
      .trim();
  const { foreign } = sections;
  const questions = readQuestions(body, sections);
  return {
    id: task.id!,
    path,
    hash: task.hash,
    ...(Object.fromEntries(LOCAL_KEYS.map((key) => [key, task[key as keyof Task]])) as KeyFields),
    status: statusWord(task),
    class: task.status,
    assignees: readList({ doc: parsed.doc, path, problems: [] }, 'assignees'),
    body: foreign ? normaliseForeign(body.slice(foreign.contentStart, foreign.contentEnd)) : null,
    remote: task.remote,
    paused: task.paused,
    comments: [...readComments(body, sections), ...questions.map(asComment)],
    questions,
    progress: readProgress(body, sections),
    // What the runtime itself says goes nowhere.
    outcome: readOutcome(body, sections).filter(({ isNote }) => !isNote),
    notes: contentOf('Notes'),
    steps: contentOf('Steps'),
  };
}

function asComment({ key, answers: _answers, ...entry }: Question): CommentEntry {
  return { ...entry, id: questionMark(key) };
}

export const localFields = (local: LocalSide): LocalFields =>
  Object.fromEntries(LOCAL_KEYS.map((key) => [key, local[key]])) as LocalFields;
