import { setTimeout as delay } from 'node:timers/promises';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox } from './jmap-client.ts';
import { kill, processesOf } from './lambda-processes.ts';
import { sendBySmtp, uniqueSubject } from './send-by-smtp.ts';
import { withVisibilityTimeout } from './visibility-timeout.ts';

describeWith(
  'users',
  'smtp',
  'processes',
)('the deliver Lambda is killed during deliveries', () => {
  // On a slow machine a delivery takes seconds. With a shorter timeout, ever more Lambdas would handle the same message.
  withVisibilityTimeout(15);

  test('every message is delivered once', async () => {
    const bob = await jmapClient(await accessTokenOf('bob'));
    const subjects = Array.from({ length: 12 }, (_, index) => uniqueSubject(`Interrupted ${index}`));
    let kills = 0;
    for (const [index, subject] of subjects.entries()) {
      await sendBySmtp([sandboxUser('alice').email, sandboxUser('bob').email], { subject, text: 'Hello' });
      // A delivery takes some tens of milliseconds from here. The varied delay interrupts each one at another step.
      await delay(index * 4);
      if (index % 3 !== 2) kills += processesOf(deployed.outputs['deliverFunctionName']!).filter(kill).length;
    }
    expect(kills).toBeGreaterThan(0);
    const deliveredSubjects = async (): Promise<string[]> =>
      (await openMailbox(bob, 'inbox')).emails.map((email) => email.subject).filter((subject) => subjects.includes(subject));
    await eventually(async () => {
      expect(new Set(await deliveredSubjects())).toEqual(new Set(subjects));
    }, 500);
    await delay(3000);
    expect((await deliveredSubjects()).sort()).toEqual([...subjects].sort());
  });
});
