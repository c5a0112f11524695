import { problemKinds, problemNames, type Problem } from '../../../contract/admin/problems.ts';
import { describeWith } from '../deployment.ts';
import { eventually } from '../http-requests.ts';
import { admin, closeClients } from './deployment-clients.ts';
import { sandboxProvocations } from './provocations.ts';
import { listProblems, runWatch } from './watch-run.ts';

describeWith('emulator', 'smtp')('the problems of the deployment', () => {
  afterAll(closeClients);

  test('have every source, and the time of the run', async () => {
    const begun = Date.now();
    await runWatch();
    const problems = await runWatch();
    expect(problems.filter(({ name }) => name === 'SOURCE_UNAVAILABLE')).toEqual([]);
    expect(Date.parse((await admin.status.ListProblems({})).watched_at!)).toBeGreaterThanOrEqual(begun - 1000);
  });

  test('have a provocation of each kind, or a reason against one', () => {
    expect(Object.keys(sandboxProvocations).toSorted()).toEqual([...problemNames].toSorted());
  });

  const possible = problemNames.flatMap((name) => {
    const provocation = sandboxProvocations[name];
    return 'notInSandbox' in provocation ? [] : [{ name, provocation }];
  });

  describe.each(possible)('$name', ({ name, provocation: { prepare, begin, runs = 1, end, cleanUp } }) => {
    const among = (problems: readonly Problem[], subject: string | undefined) =>
      problems.filter((problem) => problem.name === name && problem.subject === subject);
    const healthIssues = async (title: string) =>
      (await admin.setup.GetReadiness({})).readiness.health_issues.filter((issue) => issue.type === name && issue.title === title);

    test(`begins when its cause does, is a health issue${end ? ', and ends with its cause' : ''}`, async () => {
      await prepare?.();
      const before = await runWatch();
      let isOver = false;
      try {
        const subject = await begin();
        // A problem that only time ends may be there since an earlier run of this file.
        if (end) expect(among(before, subject)).toEqual([]);
        for (let run = 1; run < runs; run++) expect(among(await runWatch(), subject)).toEqual([]);
        const [problem, ...others] = among(await runWatch(), subject);
        expect(others).toEqual([]);
        expect(problem).toMatchObject({
          severity: problemKinds[name].severity,
          console_path: problemKinds[name].console_path,
          runbook: `docs/operator-runbook.md#${problemKinds[name].runbook}`,
        });
        // An account is named by its name and address.
        const [head = '', tail = ''] = problemKinds[name].title.split('{subject}');
        const shown = problemKinds[name].subject === 'account' ? problem!.title.slice(head.length, problem!.title.length - tail.length) : (subject ?? '');
        expect(problem!.title).toBe(problemKinds[name].title.replace('{subject}', shown));
        expect(among(await runWatch(), subject)).toEqual([problem]);
        if (name !== 'MAIL_WAITING') expect(await healthIssues(problem!.title)).toHaveLength(1);
        if (!end) return;
        await end();
        isOver = true;
        await eventually(async () => expect(among(await runWatch(), subject)).toEqual([]), 1000);
        expect(among(await listProblems(), subject)).toEqual([]);
        if (name !== 'MAIL_WAITING') expect(await healthIssues(problem!.title)).toEqual([]);
      } finally {
        // A failed test must not leave the deployment without what the next ones need.
        if (!isOver) await end?.();
        await cleanUp?.();
      }
    });
  });
});
