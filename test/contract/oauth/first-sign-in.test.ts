import { firstSignInSteps } from '../../../contract/oauth/first-sign-in.ts';

test('the first step is to install an authenticator app, and the last says what to do after a session that has expired', () => {
  for (const mfa of ['required', undefined] as const) {
    const steps = firstSignInSteps(mfa);
    expect(steps[0]).toMatch(/^Install an authenticator app on your phone first/);
    expect(steps.at(-1)).toContain('15 minutes');
    expect(steps.at(-1)).toContain('begin again, with your NEW password');
  }
});

test('without a second factor, no step names an app', () => {
  expect(firstSignInSteps('off').join(' ')).not.toMatch(/authenticator|expired/);
});
