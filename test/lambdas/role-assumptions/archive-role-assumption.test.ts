import { roleAssumptionsIn } from '../../../core/directory/role-assumptions.ts';
import { archiveRoleAssumption } from '../../../lambdas/role-assumptions/archive-role-assumption.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryTable } from '../../fakes/memory-table.ts';

const roleArn = 'arn:aws:iam::000000000000:role/diag';
const caseId = 'case_V1StGXR8_Z5jdHi6B-myT';
const record = (fields: object = {}, parameters: object = {}) => ({
  eventVersion: '1.08',
  eventID: '11111111-2222-3333-4444-555555555555',
  eventName: 'AssumeRole',
  eventSource: 'sts.amazonaws.com',
  eventTime: '2026-11-21T12:00:00Z',
  sourceIPAddress: '192.0.2.7',
  userIdentity: { type: 'AWSAccount', principalId: 'AIDAEXAMPLE', accountId: '111122223333' },
  requestParameters: { roleArn, roleSessionName: 'grace', externalId: caseId, durationSeconds: 3600, ...parameters },
  responseElements: { credentials: { accessKeyId: 'ASIAEXAMPLE', sessionToken: 'do not keep' } },
  ...fields,
});

const setUp = () => {
  const [table, log] = [memoryTable(), memoryLog()];
  const archive = roleAssumptionsIn(table);
  return { archive, table, log, handle: archiveRoleAssumption({ archive, roleArns: [roleArn], log }) };
};

describe('archiveRoleAssumption', () => {
  test('stores the principal with the case, without credentials', async () => {
    const { archive, table, handle } = setUp();
    await handle({ detail: record() });
    expect(await archive.listByCase(caseId)).toEqual([
      {
        event_id: '11111111-2222-3333-4444-555555555555',
        event_time: '2026-11-21T12:00:00.000Z',
        assuming_principal: '111122223333:AIDAEXAMPLE',
        role_session_name: 'grace',
        source_ip_address: '192.0.2.7',
        role_assumed: roleArn,
        external_id: caseId,
      },
    ]);
    expect(JSON.stringify(await table.query({ pk: `support-assumption#${caseId}` }))).not.toMatch(/ASIA|do not keep/);
  });

  test('stores an event that is delivered twice once', async () => {
    const { archive, handle } = setUp();
    await Promise.all([handle({ detail: record() }), handle({ detail: record() })]);
    await handle({ detail: record() });
    expect(await archive.listByCase(caseId)).toHaveLength(1);
  });

  test('stores the principal’s ARN where CloudTrail has it', async () => {
    const { archive, handle } = setUp();
    await handle({ detail: record({ userIdentity: { type: 'AssumedRole', arn: 'arn:aws:sts::000000000000:assumed-role/a/b' } }) });
    expect(await archive.listByCase(caseId)).toMatchObject([{ assuming_principal: 'arn:aws:sts::000000000000:assumed-role/a/b' }]);
  });

  test.each([
    ['a refused attempt', record({ errorCode: 'AccessDenied' })],
    ['another call', record({ eventName: 'AssumeRoleWithSAML' })],
    ['another role', record({}, { roleArn: 'arn:aws:iam::000000000000:role/other' })],
    ['a role without a case', record({}, { externalId: undefined })],
    ['an external id that is not a case id', record({}, { externalId: 'support-case' })],
    ['an event without detail', undefined],
    ['an incomplete record', { eventName: 'AssumeRole' }],
  ])('ignores %s', async (_, detail) => {
    const { table, handle, archive } = setUp();
    await handle({ detail });
    expect(await archive.listByCase(caseId)).toEqual([]);
    expect(await table.query({ pk: 'support-assumption#support-case' })).toEqual([]);
  });

  test('logs a warning when a support role is assumed without a case', async () => {
    const { handle, log } = setUp();
    await handle({ detail: record({}, { externalId: undefined }) });
    expect(JSON.stringify(log.records)).toContain('a support role was assumed without a case');
  });
});
