import { CreateEmailIdentityCommand, DeleteEmailIdentityCommand, SESv2Client, TagResourceCommand } from '@aws-sdk/client-sesv2';
import { withEmulator } from '../../support/test-emulator.ts';
import { callerAllowed } from './iam-caller.ts';

const fixture = withEmulator({ enforceIam: true });
const arnOf = (name: string) => `arn:aws:ses:us-east-1:000000000000:identity/${name}`;
const refused = { name: expect.stringContaining('AccessDenied') as string };
const tagged = (value: string) => [{ Key: 'owner', Value: value }];

test('aws:ResourceTag allows deleting an identity that has the tag, and no other', async () => {
  const root = new SESv2Client(fixture.clientConfig);
  await root.send(new CreateEmailIdentityCommand({ EmailIdentity: 'ours.test', Tags: tagged('ours') }));
  await root.send(new CreateEmailIdentityCommand({ EmailIdentity: 'theirs.test', Tags: tagged('theirs') }));
  await root.send(new CreateEmailIdentityCommand({ EmailIdentity: 'untagged.test' }));
  const caller = new SESv2Client(
    await callerAllowed(fixture, 'deleter', {
      Action: 'ses:DeleteEmailIdentity',
      Resource: arnOf('*'),
      Condition: { StringEquals: { 'aws:ResourceTag/owner': 'ours' } },
    }),
  );
  const remove = (EmailIdentity: string) => caller.send(new DeleteEmailIdentityCommand({ EmailIdentity }));
  await remove('ours.test');
  await expect(remove('theirs.test')).rejects.toMatchObject(refused);
  await expect(remove('untagged.test')).rejects.toMatchObject(refused);
  await root.send(new TagResourceCommand({ ResourceArn: arnOf('untagged.test'), Tags: tagged('ours') }));
  await remove('untagged.test');
});

test('aws:RequestTag allows creating an identity with the tag only', async () => {
  const caller = new SESv2Client(
    await callerAllowed(fixture, 'creator', {
      Action: ['ses:CreateEmailIdentity', 'ses:TagResource'],
      Resource: arnOf('*'),
      Condition: { StringEquals: { 'aws:RequestTag/owner': 'ours' } },
    }),
  );
  await caller.send(new CreateEmailIdentityCommand({ EmailIdentity: 'with.test', Tags: tagged('ours') }));
  await expect(caller.send(new CreateEmailIdentityCommand({ EmailIdentity: 'without.test' }))).rejects.toMatchObject(refused);
  await expect(caller.send(new CreateEmailIdentityCommand({ EmailIdentity: 'other.test', Tags: tagged('theirs') }))).rejects.toMatchObject(refused);
});
