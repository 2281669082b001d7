// Reads a task file as the local side of a mirror: its fields, its comments, and the sections that go upstream.

import { parseDocument } from '../../core/document/document.ts';
import { endWithoutBlanks } from '../../core/markdown/blank-space.ts';
import { type CommentEntry, readComments, readOutcome, readProgress } from '../../core/task/body/entries.ts';
import { normaliseForeign } from '../../core/task/body/foreign-text.ts';
import { questionMark } from '../../core/task/body/question-marks.ts';
import { type Question, readQuestions } from '../../core/task/body/questions.ts';
import { readSections, type SectionName, sectionsNamed } from '../../core/task/body/sections.ts';
import { hashText, readTask } from '../../core/task/read-task.ts';
import { LOCAL_KEYS, type LocalFields, type LocalSide } from './plan-data.ts';

/** The file's side of a mirror; null when it can't be read as a task, or has no id. */
export function readLocalSide(path: string, text: string): LocalSide | null {
  const parsed = parseDocument(text, path);
  if (!parsed.ok) return null;
  const reading = readTask(path, text, hashText(text), parsed);
  if (!reading.ok || reading.task.id === null) return null;
  const { task } = reading;
  const body = text.slice(parsed.doc.bodyStart);
  const sections = readSections(body);
  const contentOf = (name: SectionName): string =>
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
    title: task.title,
    body: foreign ? normaliseForeign(body.slice(foreign.contentStart, foreign.contentEnd)) : null,
    remote: task.remote,
    status: task.status,
    paused: task.paused,
    labels: task.labels,
    assignees: textList(parsed.doc.data.assignees),
    priority: task.priority,
    due: task.due,
    parent: task.parent,
    blockedBy: task.blockedBy,
    comments: [...readComments(body, sections), ...questions.map(asComment)],
    questions,
    progress: readProgress(body, sections),
    // What the runtime itself says goes nowhere.
    outcome: readOutcome(body, sections).filter(({ isNote }) => !isNote),
    notes: contentOf('Notes'),
    steps: contentOf('Steps'),
  };
}

/** A question goes up as a comment does. */
function asComment({ key, answers: _answers, ...entry }: Question): CommentEntry {
  return { ...entry, id: questionMark(key) };
}

/** A list, or one text with commas between, as for labels. */
function textList(value: unknown): string[] {
  const items = typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value;
  return Array.isArray(items) ? items.filter((item) => typeof item === 'string' && item !== '') : [];
}

/** What the base keeps of a file. */
export function localFields(local: LocalSide): LocalFields {
  return Object.fromEntries(LOCAL_KEYS.map((key) => [key, local[key]])) as LocalFields;
}
