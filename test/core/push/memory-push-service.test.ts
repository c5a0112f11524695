import { memoryPushService } from '../../fakes/memory-push-service.ts';
import { pushServiceSuite } from '../../port-suites/push-service-suite.ts';

describe('the push service in memory', () =>
  pushServiceSuite(async () => {
    const service = memoryPushService();
    const url = (name: string) => `https://push.example.net/${name}`;
    return {
      service,
      url,
      setOutcome: (name, outcome) => service.setOutcome(url(name), outcome),
      read: async (name) => service.accepted.filter(({ target }) => target.url === url(name)).map(({ message }) => message),
    };
  }));
