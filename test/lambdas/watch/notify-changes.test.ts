import type { Domain } from '../../../contract/admin/domains.ts';
import { parseMessage } from '../../../core/mime/parse-message.ts';
import { submissionsIn } from '../../../core/sending/submission/submissions.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import { provocations } from '../../support/provoked-problems.ts';
import { watchedDeployment, type WatchedDeployment } from '../../support/watched-deployment.ts';

let deployment: WatchedDeployment;
beforeEach(async () => {
  deployment = await watchedDeployment();
});

/** Adds the deployment's own domain, which may send. */
const addSendingDomain = async () => {
  const { id } = (await deployment.ok('/domains/AddDomain', { domain: 'example.test' }))['domain'] as Domain;
  deployment.emailProvider.verify('example.test');
  deployment.senderAddresses.verifiedDomains.add('example.test');
  await deployment.ok('/domains/VerifyDomain', { domain_id: id });
};
const subscribe = (subscribed = true) => deployment.ok('/status/SubscribeToProblems', { subscribed });

/** The mail that was accepted since the last call: its recipients, subject and text. */
const takeMail = async () => {
  const references = deployment.submitQueue.take().map((body) => JSON.parse(body) as { submission_id: string; part: number });
  return Promise.all(
    references.map(async ({ submission_id, part }) => {
      const found = await submissionsIn(deployment.sending).findPart({ submission_id, part });
      const stored = await deployment.objects.get(objectKeys.outgoing(undefined, submission_id));
      return { to: found!.part.recipients.map(({ address }) => address), raw: Buffer.from(stored!.bytes).toString() };
    }),
  );
};
const { provoke, repair } = provocations.DEAD_LETTERS;

describe('an admin who subscribed', () => {
  beforeEach(async () => {
    await addSendingDomain();
    await subscribe();
  });

  test('gets one mail when a problem begins, with its words and links, and one when it ends', async () => {
    await provoke(deployment);
    await deployment.run();
    const [begun, ...others] = await takeMail();
    expect(others).toEqual([]);
    expect(begun!.to).toEqual(['admin@example.test']);
    for (const text of [
      'From: Postrider <postrider@example.test>',
      'Subject: Postrider example.test: 1 problem began',
      'Auto-Submitted: auto-generated',
      'CRITICAL: Messages in InboundMail/Waiting/DeadLetters could not be handled',
      'https://console.example.test/queues',
      'docs/operator-runbook.md#dead-letters',
      '2026-11-21T12:00:10.000Z',
    ])
      expect(begun!.raw).toContain(text);
    expect(() => parseMessage(Buffer.from(begun!.raw))).not.toThrow();
    await deployment.runNext();
    await deployment.runNext();
    expect(await takeMail()).toEqual([]);
    await repair(deployment);
    await deployment.runNext();
    const [ended] = await takeMail();
    expect(ended!.raw).toContain('Subject: Postrider example.test: 1 problem ended');
    await deployment.runNext();
    expect(await takeMail()).toEqual([]);
  });

  test('gets one mail about all changes of a run', async () => {
    await provoke(deployment);
    await provocations.SES_SANDBOX.provoke(deployment);
    await deployment.run();
    expect((await takeMail()).map(({ raw }) => /^Subject: (.*)$/m.exec(raw)![1]!.trim())).toEqual(['Postrider example.test: 2 problems began']);
  });

  test('gets no mail about a problem that is not open yet', async () => {
    await provocations.REMOVAL_FAILED.provoke(deployment);
    await deployment.run();
    expect(await takeMail()).toEqual([]);
    await deployment.runNext();
    expect(await takeMail()).toHaveLength(1);
  });

  test('gets one mail when two runs overlap', async () => {
    await provoke(deployment);
    await Promise.all([deployment.run(), deployment.run()]);
    await deployment.runNext();
    expect(await takeMail()).toHaveLength(1);
    expect(deployment.topic.published).toHaveLength(1);
  });

  test('gets no mail after unsubscribing, or without being an active admin', async () => {
    await subscribe(false);
    await provoke(deployment);
    await deployment.run();
    await subscribe();
    await repair(deployment);
    await deployment.directory.write([{ update: { pk: 'user', sk: 'user_admin' }, set: { is_admin: false } }]);
    await deployment.runNext();
    expect(await takeMail()).toEqual([]);
  });

  test('is told so by ListProblems', async () => {
    expect(await deployment.ok('/status/ListProblems')).toMatchObject({ is_subscribed: true, is_anybody_notified: true });
    await subscribe(false);
    expect(await deployment.ok('/status/ListProblems')).toMatchObject({ is_subscribed: false, is_anybody_notified: false });
  });

  test('has no address in the log', async () => {
    await provoke(deployment);
    await deployment.run();
    expect(JSON.stringify(deployment.log.records)).not.toContain('@');
  });
});

describe('a run that fails', () => {
  type Dependencies = WatchedDeployment['dependencies'];
  const stopped = new Error('stopped');
  /** A call that fails once. `after`: it has its effect, and the run is stopped, or does not get the response. */
  const failOnce = <Name extends string>(target: { [Key in Name]: (...values: never[]) => Promise<unknown> }, name: Name, when: 'before' | 'after') => {
    const call = target[name].bind(target);
    target[name] = async (...values: never[]) => {
      target[name] = call;
      if (when === 'after') await call(...values);
      throw stopped;
    };
  };

  test.each<[string, (dependencies: Dependencies) => void, number]>([
    ['before it reads the changes', ({ changes }) => failOnce(changes, 'list', 'before'), 1],
    ['after it reserved a change', ({ changes }) => failOnce(changes, 'reserve', 'after'), 1],
    ['because SNS refuses the text', ({ topic }) => failOnce(topic, 'publish', 'before'), 1],
    ['because the response of SNS is lost', ({ topic }) => failOnce(topic, 'publish', 'after'), 2],
    ['after it published', ({ changes }) => failOnce(changes, 'markPublished', 'before'), 2],
    ['after it marked the change as published', ({ changes }) => failOnce(changes, 'markPublished', 'after'), 1],
    ['before it reads the subscribers', ({ subscribers }) => failOnce(subscribers, 'list', 'before'), 1],
    ['before it stores the message', ({ objects }) => failOnce(objects, 'put', 'before'), 1],
    ['before it accepts the mail', ({ submissions }) => failOnce(submissions, 'write', 'before'), 1],
    ['after it accepted the mail', ({ submissions }) => failOnce(submissions, 'write', 'after'), 1],
    ['before it removes the change', ({ changes }) => failOnce(changes, 'remove', 'before'), 1],
    ['after it removed the change', ({ changes }) => failOnce(changes, 'remove', 'after'), 1],
  ])('%s loses nothing: the next runs publish the change, and it is mailed once', async (_step, fail, published) => {
    await addSendingDomain();
    await subscribe();
    const { dependencies } = deployment;
    const { write } = dependencies.submissions;
    let accepted = 0;
    dependencies.submissions.write = async (writes) => {
      const isAccepted = await write(writes);
      accepted += Number(isAccepted);
      return isAccepted;
    };
    await provoke(deployment);
    fail(dependencies);
    await deployment.run().catch((error: unknown) => expect(error).toBe(stopped));
    await deployment.runNext();
    await deployment.runNext();
    expect(deployment.topic.published).toHaveLength(published);
    expect(accepted).toBe(1);
    expect(await dependencies.changes.list(10)).toEqual([]);
  });

  test('before SNS has the text, after the mail is accepted, publishes it with the next run', async () => {
    await addSendingDomain();
    await subscribe();
    await provoke(deployment);
    jest.spyOn(deployment.topic, 'publish').mockRejectedValueOnce(new Error('Throttled'));
    await deployment.run();
    expect(await takeMail()).toHaveLength(1);
    expect(deployment.topic.published).toEqual([]);
    await deployment.runNext();
    expect(await takeMail()).toEqual([]);
    expect(deployment.topic.published).toHaveLength(1);
  });
});

describe('without a domain that may send', () => {
  beforeEach(async () => {
    await subscribe();
    await provoke(deployment);
    await deployment.run();
  });

  test('a change waits until the domain may send', async () => {
    expect(await takeMail()).toEqual([]);
    await addSendingDomain();
    await deployment.runNext();
    expect(await takeMail()).toHaveLength(1);
  });

  test('a change is dropped after a day, and published once', async () => {
    deployment.pass(25 * 3_600_000);
    await deployment.run();
    await addSendingDomain();
    await deployment.runNext();
    expect((await takeMail()).filter(({ raw }) => raw.includes('DeadLetters'))).toEqual([]);
    expect(deployment.topic.published.filter(({ text }) => text.includes('DeadLetters'))).toHaveLength(1);
  });
});

describe('the topic', () => {
  test('gets each change once, without a subscribed admin', async () => {
    await provoke(deployment);
    await deployment.run();
    await deployment.runNext();
    await repair(deployment);
    await deployment.runNext();
    await deployment.runNext();
    expect(deployment.topic.published.map(({ subject }) => subject)).toEqual([
      'Postrider example.test: 1 problem began',
      'Postrider example.test: 1 problem ended',
    ]);
  });

  test('gets a change from the next run when SNS refuses it', async () => {
    await provoke(deployment);
    jest.spyOn(deployment.topic, 'publish').mockRejectedValueOnce(new Error('Throttled'));
    await deployment.run();
    expect(deployment.topic.published).toEqual([]);
    await deployment.runNext();
    expect(deployment.topic.published).toHaveLength(1);
  });
});

test('a machine cannot subscribe', async () => {
  expect(await deployment.call('/status/SubscribeToProblems', { subscribed: true }, 'machine')).toMatchObject({
    status: 400,
    body: { code: 'failed_precondition' },
  });
});
