import type { Subject } from '../operation.ts';

export const subject: Subject = {
  command: 'hooks',
  summary: 'which webhooks arrive, and what is missing',
  about: "Says which webhooks of trackers arrive, and what is missing for the room's mirrors to hear theirs.",
  examples: [
    ['taskroom hooks check', 'what arrived, and what to set up at the tracker'],
    ["taskroom hooks check --json | jq '.deliveries'", 'counts by event and by why they were refused'],
  ],
};
