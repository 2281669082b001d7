import { join } from 'node:path';
import { createNodeEffects } from '../../src/node.ts';
import { openLedger } from '../../src/store/ledger/ledger.ts';
import { queueConformance } from '../conformance/queue.ts';
import { queueOf } from '../support/ledger-queue.ts';
import { tempFolder } from '../support/temp-folder.ts';

queueConformance('embedded in the ledger', async () => {
  const dir = tempFolder('taskroom-queue');
  const ledgers = [openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() })];
  return {
    queue: queueOf(ledgers[0]!),
    async reopen() {
      ledgers.push(openLedger(join(dir, 'ledger.db'), { effects: createNodeEffects() }));
      return queueOf(ledgers[1]!);
    },
    async close() {
      for (const ledger of ledgers) ledger.close();
    },
  };
});
