// A memory tracker for the conformance suite, with people in it.
import { FIELDS } from '../../../src/core/chore/fields.ts';
import type { SourceConfig } from '../../../src/providers/provider.ts';
import type { People, ProviderHarness } from '../../conformance/provider.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { createMemoryFactory, type MemoryFactoryOptions } from '../../support/memory-provider/memory.ts';
import { markerOf } from '../../support/memory-provider/reading.ts';
import {
  createMemoryTracker,
  type MemoryTracker,
  type MemoryTrackerOptions,
} from '../../support/memory-provider/tracker.ts';
import { sourceConfig } from '../../support/mirror-config.ts';

const SOURCE = 'acme/web';
const TOKEN = { variable: 'MEMORY_TOKEN', value: 'right-0123456789' };

function peopleOf(tracker: MemoryTracker): People {
  return {
    createIssues: async (drafts) => drafts.map((draft) => tracker.createIssue(draft, 'alice', SOURCE)),
    editIssue: async (ref, edit) => tracker.editIssue(ref, edit),
    look: async (ref) => tracker.find(ref),
    titles: async () => tracker.issues().map(({ title }) => title),
    deleteIssue: async (ref) => tracker.deleteIssue(ref),
    transferIssue: async (ref) => void tracker.transferIssue(ref, 'acme/other'),
    lockIssue: async (ref) => tracker.editIssue(ref, { locked: true }),
    addComments: async (ref, bodies) => bodies.map((body) => tracker.addComment(ref, body)),
    editComment: async (ref, id, body) => tracker.editComment(ref, id, body),
    deleteComment: async (ref, id) => tracker.deleteComment(ref, id),
  };
}

/** Opens a fresh tracker at every call. */
export function memoryHarness(
  trackerOptions: MemoryTrackerOptions = {},
  factoryOptions: MemoryFactoryOptions = {},
) {
  return async (): Promise<ProviderHarness> => {
    const tracker = createMemoryTracker(trackerOptions);
    const effects = (token?: string) => ({
      ...createManualClock(),
      env: token === undefined ? {} : { [TOKEN.variable]: token },
    });
    const config = (change?: Partial<SourceConfig>) => sourceConfig(SOURCE, change);
    return {
      factory: createMemoryFactory(tracker, { ...factoryOptions, token: TOKEN }),
      ...{ config, effects: effects(TOKEN.value), badCredentials: effects('wrong-0123456789') },
      ...{ noCredentials: effects(), people: peopleOf(tracker), fields: FIELDS, states: tracker.states },
      ...{ account: tracker.account, absentRef: `${SOURCE}#999` },
      tick: async () => tracker.advance(1_000),
      forgedMarker: markerOf,
      loseNextAnswer() {
        tracker.onCall = ({ operation }) => {
          if (operation !== 'create' && operation !== 'add') return null;
          tracker.onCall = null;
          return { kind: 'after', error: new Error('the connection was cut') };
        };
      },
      close: async () => {},
    };
  };
}
