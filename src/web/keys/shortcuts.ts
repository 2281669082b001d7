// The keys of the page, from the table that `top` has too. No key is a command while a person types, or while a dialog or an
// editor is open; nor after that, where the field went away by itself (it was sent, or somebody else answered), until the person
// ends the typing: by a click, Tab or Esc.
import type { PersonAction } from '../../core/person-keys.ts';
import { isPossible, keyOf, PERSON_ACTIONS, TASK_ACTIONS } from '../../core/person-keys.ts';
import { shownName } from '../../core/task/names.ts';
import { goBack, goTo, place } from '../address.ts';
import type { TaskRow } from '../api/calls.ts';
import { askToStop, focusSoon, takeAction, tell } from '../room/actions.ts';
import { select, taskRows } from '../room/queries.ts';

export type Overlay = 'help' | 'new' | 'palette';
type FrameAction = Exclude<PersonAction, (typeof TASK_ACTIONS)[number]>;

/** @param digits the path of each view of the side bar, in order */
export function listenToKeys(
  show: (overlay: Overlay) => void,
  digits: () => readonly (readonly string[])[],
): void {
  const actions: Partial<Record<FrameAction, () => unknown>> = {
    next: () => moveFocus(1),
    previous: () => moveFocus(-1),
    back: goBack,
    new: () => show('new'),
    help: () => show('help'),
    search: () => inList('#search'),
    filter: () => inList('.filters select'),
    select: () => onTask(select),
  };
  addEventListener('pointerdown', endTyping, true);
  addEventListener('keydown', noteTyping, true);
  addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]') !== null) return;
    if (event.ctrlKey || event.metaKey) {
      if (event.key !== 'k') return;
      event.preventDefault();
      return show('palette');
    }
    if (isTyping(event.target) || document.querySelector('.editor') !== null) return;
    const path = digits()[Number(event.key) - 1];
    const action = PERSON_ACTIONS.find((each) => keyOf(each).key === event.key);
    const run = runOf(action);
    if (path === undefined && run === undefined) return;
    event.preventDefault();
    if (typing !== null) return typedOn(event);
    if (path !== undefined) goTo(path);
    else run!();
  });

  function runOf(action: PersonAction | undefined): (() => unknown) | undefined {
    const ofTask = TASK_ACTIONS.find((each) => each === action);
    if (ofTask === undefined) return actions[action as FrameAction];
    const [view, turn] = place.value.path;
    if (ofTask === 'stop' && view === 'turn') return () => askToStop(turn!, 'this turn');
    return () =>
      onTask((task) => {
        if (isPossible(ofTask, task)) takeAction(ofTask, task);
        else tell(`“${shownName(task)}”: nothing to do for the key ${keyOf(ofTask).key}`);
      });
  }
}

const FIELDS = 'input:not([type="checkbox"]), textarea, select';
const isTyping = (target: EventTarget | null) => target instanceof Element && target.closest(FIELDS) !== null;

/** Whether the last words went into a field that the person has not left; told: that keys wait for it. */
let typing: 'on' | 'told' | null = null;
const endTyping = () => {
  typing = null;
};

function noteTyping({ target, key }: KeyboardEvent): void {
  const isChosen = key === 'Enter' && target instanceof Element && target.matches('[role="combobox"]');
  if (isTyping(target)) typing = key === 'Tab' || key === 'Escape' || isChosen ? null : 'on';
  else if (key === 'Tab') endTyping();
}

function typedOn({ key }: KeyboardEvent): void {
  if (key === keyOf('back').key) return endTyping();
  if (typing === 'on') tell('You typed into a field that is gone: press Esc, then keys are commands again');
  typing = 'told';
}

function onTask(run: (task: TaskRow) => void): void {
  const task = currentTask();
  if (task !== undefined) run(task);
}

/** The task that is open, or the one whose row has the focus. */
export function currentTask(): TaskRow | undefined {
  const [view, ref] = place.value.path;
  const focused = document.activeElement?.closest('[data-task]')?.getAttribute('data-task');
  const wanted = view === 'task' ? ref : focused;
  return wanted ? taskRows.value.find(({ id, name }) => id === wanted || name === wanted) : undefined;
}

/** A field of the list, or of the board where that is shown. */
function inList(field: string): void {
  if (document.querySelector(field) === null) goTo(['list']);
  focusSoon(field);
}

/** Moves the focus by one among what can be focused in order: the links and cards of lists. */
function moveFocus(by: 1 | -1): void {
  const stops = [...document.querySelectorAll<HTMLElement>('main [data-stop]')].sort(byPlace);
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? stops[by > 0 ? 0 : stops.length - 1] : stops[at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Rows that a long list kept in the page may stand in another order there. */
function byPlace(one: HTMLElement, other: HTMLElement): number {
  const [a, b] = [one.closest('[aria-posinset]'), other.closest('[aria-posinset]')];
  if (a === null || b === null || a.parentElement !== b.parentElement)
    return one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
  return Number(a.getAttribute('aria-posinset')) - Number(b.getAttribute('aria-posinset'));
}
