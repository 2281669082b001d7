import { describeProvider } from '../../conformance/provider.ts';
import { openEmulateHarness } from './emulate-harness.ts';
import { openStrictHarness } from './harness.ts';

describeProvider('github (strict server)', () => openStrictHarness());
describeProvider('github (emulate)', openEmulateHarness, {
  lacks: {
    'an edited comment is in the next listing, by its id':
      'without a list of all comments only a change of the issue leads to them',
  },
});
