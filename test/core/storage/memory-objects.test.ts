import { memoryObjects } from '../../fakes/memory-objects.ts';
import { objectsSuite } from '../../port-suites/objects-suite.ts';

describe('the mail bucket in memory', () =>
  objectsSuite(async () => {
    const objects = memoryObjects();
    return { objects, earlierVersions: async (key) => objects.earlierVersions(key) };
  }));
