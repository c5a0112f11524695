import { clientRegistrarContract } from '../../../port-suites/client-registrar-suite.ts';
import { memoryClientRegistrar } from '../../../fakes/client-registrar.ts';

describe('the client registrar in memory', () => {
  clientRegistrarContract(async () => ({ registrar: memoryClientRegistrar() }));
});
