import { emailProviderSuite } from '../../../port-suites/email-provider-suite.ts';
import { memoryEmailProvider } from '../../../fakes/memory-email-provider.ts';

describe('the sending provider in memory', () => {
  emailProviderSuite(async () => memoryEmailProvider());
});
