import { clientRegistrarSuite } from '../../../port-suites/client-registrar-suite.ts';
import { memoryClientRegistrar } from '../../../fakes/memory-client-registrar.ts';

describe('the client registrar in memory', () => {
  clientRegistrarSuite(async () => ({ registrar: memoryClientRegistrar() }));
});
