// The name under which a person, an agent or the runtime signs an entry in a task file.
import { type Actor, isAgent, nameOfActor } from '../task-room.ts';

/**
 * `owner` is the person, `agent:<id>` an agent, `taskroom` the runtime. The prefix has to stay: the prompt trusts a
 * text by this name (see trustOfName in core/context/prompt.ts), and an agent may well be called `owner`.
 */
export function signatureOf(actor: Actor): string {
  if (isAgent(actor)) return nameOfActor(actor);
  return actor.kind === 'person' ? 'owner' : 'taskroom';
}
