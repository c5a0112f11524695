import { memoryTable } from '../../../fakes/memory-table.ts';
import { mailStoreSuites } from '../../../port-suites/mail-store-suites.ts';

describe('the mail store in the memory table', () => mailStoreSuites(memoryTable));
