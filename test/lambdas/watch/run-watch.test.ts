import { problemKinds, problemNames } from '../../../contract/admin/problems.ts';
import type { Readiness } from '../../../contract/admin/setup.ts';
import { provocations } from '../../support/provoked-problems.ts';
import { watchedDeployment, type WatchedDeployment } from '../../support/watched-deployment.ts';

let deployment: WatchedDeployment;
beforeEach(async () => {
  deployment = await watchedDeployment();
});

const nobody = { is_subscribed: false, is_anybody_notified: false };

/** The names and subjects of the open problems. */
const open = async () => (await deployment.problems()).map(({ name, subject }) => (subject === undefined ? name : `${name} ${subject}`));

test('a healthy deployment has no problems, and ListProblems tells when the watch ran', async () => {
  expect(await deployment.ok('/status/ListProblems')).toEqual({ problems: [], ...nobody, next_page_token: '' });
  await deployment.run();
  expect(await deployment.ok('/status/ListProblems')).toEqual({ problems: [], watched_at: '2026-11-21T12:00:10.000Z', ...nobody, next_page_token: '' });
});

/** The health issues that GetReadiness takes from the list of problems, or reads itself. */
const healthIssues = async () => ((await deployment.ok('/setup/GetReadiness'))['readiness'] as Readiness).health_issues!;

describe.each(problemNames)('%s', (name) => {
  const { subject, runs = 1, provoke, repair } = provocations[name];
  const expected = subject === undefined ? name : `${name} ${subject}`;

  test('begins when it is provoked, keeps its time, is a health issue, and ends with its cause', async () => {
    await deployment.run();
    expect(await open()).toEqual([]);
    await provoke(deployment);
    // Sources that are read once an hour are read by this run too.
    await deployment.run({ everything: true });
    const since = new Date(deployment.now()).toISOString();
    for (let run = 1; run < runs; run++) {
      expect(await open()).not.toContain(expected);
      await deployment.runNext();
    }
    const [problem] = (await deployment.problems()).filter((each) => each.name === name);
    const { title, runbook: _runbook, title_of_many: _ofMany, ...words } = { title_of_many: '', ...problemKinds[name] };
    const subjectName = problem!.subject_name;
    expect(subjectName !== undefined).toBe(words.subject === 'account' && name !== 'REMOVAL_FAILED');
    expect(problem).toEqual({
      ...words,
      name,
      since,
      ...(subject !== undefined && { subject }),
      ...(subjectName !== undefined && { subject_name: expect.stringContaining('@') }),
      title: title.replace('{subject}', subjectName ?? subject ?? ''),
      runbook: expect.stringMatching(/^docs\/operator-runbook\.md#[a-z-]+$/),
      ...(subject === undefined && { subject: undefined }),
    });
    await deployment.run();
    expect((await deployment.problems()).filter((each) => each.name === name)).toEqual([problem]);
    expect(await healthIssues()).toContainEqual({
      type: name,
      severity: words.severity,
      title: problem!.title,
      likely_cause: words.meaning,
      suggested_action: words.next_step,
    });
    await repair(deployment);
    await deployment.runNext();
    expect(await open()).not.toContain(expected);
    expect((await healthIssues()).filter(({ title }) => title === problem!.title)).toEqual([]);
  });
});

describe('problems', () => {
  test('end at a lower value than they begin, so that a value between the two changes nothing', async () => {
    const { storeAccount, runNextHour } = deployment;
    await storeAccount('acc_full', { bytes: 949_999 });
    await deployment.run();
    expect(await open()).toEqual([]);
    await storeAccount('acc_full', { bytes: 950_000 });
    await runNextHour();
    await storeAccount('acc_full', { bytes: 900_000 });
    await runNextHour();
    expect(await open()).toEqual(['ACCOUNT_NEARLY_FULL acc_full']);
  });

  test('that one run finds by mistake, and the next does not, are never open', async () => {
    const { provoke, repair } = provocations.MX_MISSING;
    await provoke(deployment);
    await deployment.run();
    await repair(deployment);
    await deployment.runNext();
    await provocations.MX_MISSING.repair(deployment);
    deployment.dns.set('example.test', 'MX', '10 mx.elsewhere.test');
    await deployment.runNext();
    expect(await open()).toEqual([]);
    await deployment.runNext();
    expect(await open()).toEqual(['MX_MISSING example.test']);
  });

  test('neither begin nor end while their source fails', async () => {
    await provocations.DEAD_LETTERS.provoke(deployment);
    await deployment.run();
    jest.spyOn(deployment.queueDepths, 'read').mockRejectedValue(new Error('Rate exceeded'));
    await deployment.runNext();
    await deployment.runNext();
    expect(await open()).toEqual(['DEAD_LETTERS InboundMail/Waiting/DeadLetters', 'SOURCE_UNAVAILABLE queues']);
  });

  test('are found by an hour’s first run if their source is read once an hour, and end at once', async () => {
    await deployment.run();
    await provocations.APP_CLIENTS_NEAR_QUOTA.provoke(deployment);
    await deployment.runNext();
    expect(await open()).toEqual([]);
    deployment.pass(50 * 60_000);
    await deployment.runNext();
    expect(await open()).toEqual(['APP_CLIENTS_NEAR_QUOTA']);
    await provocations.APP_CLIENTS_NEAR_QUOTA.repair(deployment);
    await deployment.runNext();
    expect(await open()).toEqual([]);
  });

  test('with waiting mail are found although accounts are read once an hour', async () => {
    await deployment.run();
    await provocations.MAIL_WAITING.provoke(deployment);
    await deployment.runNext();
    expect(await open()).toEqual(['ACCOUNT_NEARLY_FULL acc_full', 'MAIL_WAITING']);
  });

  test('are changed once when two runs overlap', async () => {
    await provocations.DEAD_LETTERS.provoke(deployment);
    await Promise.all([deployment.run(), deployment.run()]);
    expect(await open()).toEqual(['DEAD_LETTERS InboundMail/Waiting/DeadLetters']);
    await provocations.DEAD_LETTERS.repair(deployment);
    await Promise.all([deployment.run(), deployment.run()]);
    expect(await open()).toEqual([]);
  });

  test('are listed in pages', async () => {
    await provocations.SES_SANDBOX.provoke(deployment);
    await provocations.DEAD_LETTERS.provoke(deployment);
    await deployment.run();
    const first = await deployment.ok('/status/ListProblems', { page_size: 1 });
    const second = await deployment.ok('/status/ListProblems', { page_size: 1, page_token: first['next_page_token'] });
    expect([first, second].map(({ problems }) => (problems as { name: string }[])[0]!.name)).toEqual(['DEAD_LETTERS', 'SES_SANDBOX']);
    expect(second['next_page_token']).toBe('');
  });
});

describe('a run without changes', () => {
  test('writes only the time of the run', async () => {
    await provocations.DEAD_LETTERS.provoke(deployment);
    await deployment.run();
    const write = jest.spyOn(deployment.directory, 'write');
    await deployment.runNext();
    expect(write.mock.calls).toEqual([[[{ put: { pk: 'watch', sk: 'run', at: new Date(deployment.now()).toISOString() } }]]]);
  });

  test('reads few metrics, and those of each Lambda only after an error', async () => {
    await deployment.run();
    deployment.metrics.calls.length = 0;
    await deployment.runNext();
    const count = () => deployment.metrics.calls.flat().length;
    // IteratorAge of three Lambdas, all Errors, all Throttles, and the errors of each API.
    expect(count()).toBe(3 + 1 + 1 + 2);
    await deployment.measure('AWS/Lambda', 'Errors', {}, 1);
    deployment.metrics.calls.length = 0;
    await deployment.runNext();
    expect(count()).toBe(3 + 1 + 1 + 2 + 5);
    expect(await open()).toEqual([]);
  });
});
