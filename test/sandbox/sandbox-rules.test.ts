import { errorMessageIn, parseForms } from '../../sandbox/clients/html-forms.ts';
import { withSubject } from '../../sandbox/clients/smtp-client.ts';
import { failureReason } from '../../sandbox/deployment/cdk-deployment.ts';
import { failureInLogLine } from '../../sandbox/deployment/lambda-logs.ts';
import { assertSameAddress } from '../../sandbox/process/emulator-address.ts';
import { portsFrom } from '../../sandbox/process/ports.ts';
import { plainLines, progressReport } from '../../sandbox/process/progress-report.ts';
import { mailLogLine } from '../../sandbox/services/ses/mail-event.ts';

describe('the state of a sandbox', () => {
  test.each([
    ['http://127.0.0.1:4808', { basePort: 4800, enforceIam: false }],
    ['https://127.0.0.1:6308', { basePort: 6300, enforceIam: true }],
    [undefined, { basePort: 4800, enforceIam: true }],
  ] as const)('of %s may be used with %j', (kept, wanted) => {
    expect(() => {
      assertSameAddress(kept, wanted);
    }).not.toThrow();
  });

  test.each([
    { basePort: 4800, enforceIam: true },
    { basePort: 4900, enforceIam: false },
  ])('cannot be used with %j, because its queues would not be found', (wanted) => {
    expect(() => {
      assertSameAddress('http://127.0.0.1:4808', wanted);
    }).toThrow(/only with --port 4800, but it was started with --port 4[89]00( --enforce-iam)?\.$/);
  });
});

describe('failureReason of a failed cdk run', () => {
  test('is the failed resource, not those that were cancelled because of it', () => {
    expect(
      failureReason([
        'Postrider: creating CloudFormation changeset...',
        'Postrider |  3/9 | 11:02:01 AM | CREATE_FAILED        | AWS::S3::Bucket | Bucket Resource handler returned message: "taken"',
        'Postrider |  3/9 | 11:02:01 AM | CREATE_FAILED        | AWS::SQS::Queue | Queue Resource creation cancelled',
        ' ❌  Postrider failed: something long',
        '    at async deploy (/node_modules/aws-cdk/lib/index.js:1:2)',
      ]),
    ).toBe('CREATE_FAILED        | AWS::S3::Bucket | Bucket Resource handler returned message: "taken"');
  });

  test('is the error without its stack trace when no resource failed', () => {
    expect(
      failureReason([
        'Bundling',
        'Error: These Lambdas can’t be bundled: lambdas/x/index.ts',
        '    at bundle (file:///lib/lambda-bundles.ts:92:9)',
        'node:internal/process/esm',
        'Node.js v24.0.0',
      ]),
    ).toBe('Error: These Lambdas can’t be bundled: lambdas/x/index.ts');
  });

  test('is the last output other than progress when there is no error line', () => {
    expect(
      failureReason([
        '✨  Synthesis time: 0.03s',
        'Postrider: creating CloudFormation changeset...',
        '',
        'Template format error: Unrecognized resource types: [X]',
        'node bin/app.ts: Subprocess exited with error 1',
      ]),
    ).toBe('Template format error: Unrecognized resource types: [X]');
  });
});

describe('a sandbox start', () => {
  test('reports a step when it begins and, with its duration, when it ends', async () => {
    let written = '';
    let now = 0;
    const report = progressReport(
      plainLines((text) => {
        written += text;
      }),
      () => now,
    );
    await report.step('Deploy', async ({ note }) => {
      now += 2500;
      note('unchanged');
    });
    await expect(
      report.step('Fail', async () => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(written.split('\n')).toEqual([
      '· Deploy …',
      expect.stringMatching(/^✓ Deploy \(unchanged\) +2\.5 s$/),
      '· Fail …',
      expect.stringMatching(/^✗ Fail +0\.0 s$/),
      '',
    ]);
  });

  test('shows the current action of a step that takes longer, in plain lines too', async () => {
    let written = '';
    let now = 0;
    const report = progressReport(
      plainLines(
        (text) => {
          written += text;
        },
        () => now,
      ),
      () => now,
    );
    await report.step('Python environment', async ({ detail }) => {
      detail('finding Python');
      now += 3500;
      detail('pip: Downloading ministack');
      now += 100;
      detail('pip: Downloading cryptography');
    });
    expect(written.split('\n').slice(0, -2)).toEqual(['· Python environment …', '    pip: Downloading ministack']);
  });

  test('escapes control characters of mail in its log', () => {
    const event = { kind: 'received', from: 'x@elsewhere.test', to: ['a@example.test'], subject: '\u001b]0;owned\u0007\u009b2J' } as const;
    expect(mailLogLine(event)).toContain('“\\u001b]0;owned\\u0007\\u009b2J”');
  });

  test('uses the base port and the ports after it', () => {
    expect(portsFrom(5800)).toMatchObject({ frontPage: 5800, jmap: 5802, smtp: 5807 });
    expect(() => portsFrom(80)).toThrow('cannot use the ports 80');
    expect(() => portsFrom(65_530)).toThrow('cannot use the ports');
  });
});

describe('the pages of a sign-in', () => {
  const page = `<div class="error">Wrong &amp; gone</div><FORM method='post' action="/login?x=1&amp;y=2">
    <input type="hidden" name="_csrf" value="a&quot;b"><input name=username><input type=password name="password" /><button name="go" type=submit value='1'>Go</button></FORM>`;

  test('are parsed with hidden fields and entities', () => {
    expect(parseForms(page)).toEqual([
      {
        action: '/login?x=1&y=2',
        fields: [
          { name: '_csrf', type: 'hidden', value: 'a"b' },
          { name: 'username', type: 'text', value: '' },
          { name: 'password', type: 'password', value: '' },
          { name: 'go', type: 'submit', value: '1' },
        ],
      },
    ]);
  });

  test('have an error message', () => {
    expect(errorMessageIn(page)).toBe('Wrong & gone');
    expect(errorMessageIn('<p>fine</p>')).toBeUndefined();
  });
});

describe('a Lambda’s log line', () => {
  test('is a failure by its level or text', () => {
    expect(failureInLogLine('{"level":"ERROR","message":"a request failed","error_name":"TypeError"}')).toBe('a request failed: TypeError');
    expect(failureInLogLine('2026 Task timed out after 28 seconds')).toContain('timed out');
    expect(failureInLogLine('{"level":"INFO","message":"delivered"}')).toBeUndefined();
    expect(failureInLogLine('END RequestId: 1')).toBeUndefined();
  });
});

describe('mail in the sandbox’s log', () => {
  test('has time, direction, sender, recipients and subject', () => {
    const at = new Date(2026, 10, 21, 9, 5, 7);
    expect(mailLogLine({ kind: 'received', from: 'x@elsewhere.test', to: ['a@example.test', 'b@example.test'], subject: 'Hi' }, at)).toBe(
      '09:05:07  mail in  x@elsewhere.test → a@example.test, b@example.test “Hi”',
    );
    expect(mailLogLine({ kind: 'refused', from: '', to: ['c@example.test'], reason: 'no such mailbox' }, at)).toBe(
      '09:05:07  refused  <> → c@example.test: no such mailbox',
    );
  });
});

describe('withSubject', () => {
  const body = Buffer.from([0x80, 0xff, 0x0d, 0x0a]);

  test('replaces the subject, folded or not, and keeps all other octets', () => {
    const raw = Buffer.concat([Buffer.from('From: a@b\r\nSUBJECT: old\r\n and older\r\nTo: c@d\r\n\r\n'), body]);
    const changed = withSubject(raw, 'Grüße');
    expect(changed.toString('latin1')).toMatch(/^Subject: =\?UTF-8\?Q\?Gr=C3=BC=C3=9Fe\?=\r\nFrom: a@b\r\nTo: c@d\r\n\r\n/);
    expect(changed.subarray(-4).equals(body)).toBe(true);
  });
});
