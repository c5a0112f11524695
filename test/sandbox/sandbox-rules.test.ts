import { mailLogLine } from '../../sandbox/mail-network/mail-event.ts';
import { failureReason } from '../../sandbox/cdk-deployment.ts';
import { errorMessageIn, parseForms } from '../../sandbox/html-forms.ts';
import { assertSameAddress } from '../../sandbox/emulator-address.ts';
import { failureInLogLine } from '../../sandbox/lambda-logs.ts';
import { portsFrom } from '../../sandbox/ports.ts';
import { plainLines, progressReport } from '../../sandbox/progress-report.ts';
import { withSubject } from '../../sandbox/smtp-client.ts';

describe('what a sandbox keeps', () => {
  test.each([['http://127.0.0.1:4808', { basePort: 4800, enforceIam: false }], ['https://127.0.0.1:6308', { basePort: 6300, enforceIam: true }], [undefined, { basePort: 4800, enforceIam: true }]] as const)(
    'of %s goes on as %j', (kept, wanted) => {
      expect(() => { assertSameAddress(kept, wanted); }).not.toThrow();
    });

  test.each([{ basePort: 4800, enforceIam: true }, { basePort: 4900, enforceIam: false }])('is not taken for %j, since its queues would not be found', (wanted) => {
    expect(() => { assertSameAddress('http://127.0.0.1:4808', wanted); }).toThrow(/only with --port 4800, but it was started with --port 4[89]00( --enforce-iam)?\.$/);
  });
});

describe('the reason of a failed cdk run', () => {
  test('is the resource that failed, not those that were cancelled for it', () => {
    expect(failureReason([
      'Postrider: creating CloudFormation changeset...',
      'Postrider |  3/9 | 11:02:01 AM | CREATE_FAILED        | AWS::S3::Bucket | Bucket Resource handler returned message: "taken"',
      'Postrider |  3/9 | 11:02:01 AM | CREATE_FAILED        | AWS::SQS::Queue | Queue Resource creation cancelled',
      ' ❌  Postrider failed: something long',
      '    at async deploy (/node_modules/aws-cdk/lib/index.js:1:2)',
    ])).toBe('CREATE_FAILED        | AWS::S3::Bucket | Bucket Resource handler returned message: "taken"');
  });

  test('is the error without its stack, when no resource failed', () => {
    expect(failureReason([
      'Bundling', 'Error: These Lambdas can’t be bundled: lambdas/x/index.ts', '    at bundle (file:///lib/lambda-bundles.ts:92:9)', 'node:internal/process/esm', 'Node.js v24.0.0',
    ])).toBe('Error: These Lambdas can’t be bundled: lambdas/x/index.ts');
  });

  test('is what was said last besides progress, when nothing looks like an error', () => {
    expect(failureReason(['✨  Synthesis time: 0.03s', 'Postrider: creating CloudFormation changeset...', '', 'Template format error: Unrecognized resource types: [X]', 'node bin/app.ts: Subprocess exited with error 1']))
      .toBe('Template format error: Unrecognized resource types: [X]');
  });
});

describe('steps', () => {
  test('are said when they begin and, with their duration, when they end', async () => {
    let written = '';
    let now = 0;
    const report = progressReport(plainLines((text) => { written += text; }), () => now);
    await report.step('Deploy', async ({ note }) => { now += 2500; note('unchanged'); });
    await expect(report.step('Fail', async () => { throw new Error('no'); })).rejects.toThrow('no');
    expect(written.split('\n')).toEqual(['· Deploy …', expect.stringMatching(/^✓ Deploy \(unchanged\) +2\.5 s$/), '· Fail …', expect.stringMatching(/^✗ Fail +0\.0 s$/), '']);
  });

  test('ports follow the base, and leave room for all', () => {
    expect(portsFrom(5800)).toMatchObject({ frontPage: 5800, jmap: 5802, smtp: 5807 });
    expect(() => portsFrom(80)).toThrow('cannot use the ports 80');
    expect(() => portsFrom(65_530)).toThrow('cannot use the ports');
  });
});

describe('pages of a sign-in', () => {
  const page = `<div class="error">Wrong &amp; gone</div><FORM method='post' action="/login?x=1&amp;y=2">
    <input type="hidden" name="_csrf" value="a&quot;b"><input name=username><input type=password name="password" /><button name="go" type=submit value='1'>Go</button></FORM>`;

  test('are read with their hidden fields and entities', () => {
    expect(parseForms(page)).toEqual([{
      action: '/login?x=1&y=2',
      fields: [
        { name: '_csrf', type: 'hidden', value: 'a"b' }, { name: 'username', type: 'text', value: '' },
        { name: 'password', type: 'password', value: '' }, { name: 'go', type: 'submit', value: '1' },
      ],
    }]);
  });

  test('say why they refuse', () => {
    expect(errorMessageIn(page)).toBe('Wrong & gone');
    expect(errorMessageIn('<p>fine</p>')).toBeUndefined();
  });
});

describe('what a Lambda logged', () => {
  test('is a failure when it says so', () => {
    expect(failureInLogLine('{"level":"ERROR","message":"a request failed","error_name":"TypeError"}')).toBe('a request failed: TypeError');
    expect(failureInLogLine('2026 Task timed out after 28 seconds')).toContain('timed out');
    expect(failureInLogLine('{"level":"INFO","message":"delivered"}')).toBeUndefined();
    expect(failureInLogLine('END RequestId: 1')).toBeUndefined();
  });
});

describe('mail in the log', () => {
  test('says when, which way, from whom to whom and what about', () => {
    const at = new Date(2026, 10, 21, 9, 5, 7);
    expect(mailLogLine({ kind: 'received', from: 'x@elsewhere.test', to: ['a@example.test', 'b@example.test'], subject: 'Hi' }, at)).toBe('09:05:07  mail in  x@elsewhere.test → a@example.test, b@example.test “Hi”');
    expect(mailLogLine({ kind: 'refused', from: '', to: ['c@example.test'], reason: 'no such mailbox' }, at)).toBe('09:05:07  refused  <> → c@example.test: no such mailbox');
  });
});

describe('another subject for a message', () => {
  const body = Buffer.from([0x80, 0xff, 0x0d, 0x0a]);

  test('takes the place of the old one, folded or not, and leaves the rest octet by octet', () => {
    const raw = Buffer.concat([Buffer.from('From: a@b\r\nSUBJECT: old\r\n and older\r\nTo: c@d\r\n\r\n'), body]);
    const changed = withSubject(raw, 'Grüße');
    expect(changed.toString('latin1')).toMatch(/^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe\?=\r\nFrom: a@b\r\nTo: c@d\r\n\r\n/);
    expect(changed.subarray(-4).equals(body)).toBe(true);
  });
});
