import { Box, Button, Modal, SpaceBetween } from '@cloudscape-design/components';
import { createPortal } from 'react-dom';
import type { ResponseOf } from '../../api/admin-api.tsx';
import { useConfig, useSessionUrl } from '../../page/config-context.tsx';
import { nameOf, signInOf } from '../../parts/objects/user-names.ts';
import { Copyable } from '../../parts/text/values.tsx';
import { connectWords } from '../../words/pages/operations.ts';
import { temporaryPasswordWords, type inviteWords } from '../../words/pages/users.ts';
import { words } from '../../words/words.ts';

type User = ResponseOf<'users', 'GetUser'>['user'];

/** The way in which a person gets the temporary password: by mail to the sign-in address or to a private one, or from the admin. */
export type PasswordWay = keyof typeof inviteWords.ways;

type Shown = { readonly title: string; readonly user: User; readonly password: string; readonly onClose: () => void };

/** The sheet of paper for a person's first sign-in, which is visible in print only. */
const Sheet = ({ user, password }: Pick<Shown, 'user' | 'password'>) => {
  const sessionUrl = useSessionUrl();
  const { mfa, webmailUrl } = useConfig();
  const { sheet } = temporaryPasswordWords;
  return createPortal(
    <section className="print-sheet" aria-hidden="true">
      <h1>{sheet.title(nameOf(user))}</h1>
      <dl>
        {webmailUrl !== undefined && (
          <>
            <dt>{connectWords.webmail}</dt>
            <dd>{webmailUrl}</dd>
          </>
        )}
        <dt>{connectWords.session}</dt>
        <dd>{sessionUrl}</dd>
        <dt>{connectWords.signInAs}</dt>
        <dd>{signInOf(user)}</dd>
        <dt>{temporaryPasswordWords.name}</dt>
        <dd>{password}</dd>
      </dl>
      <ol>
        {sheet.steps(mfa, webmailUrl !== undefined).map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </section>,
    document.body,
  );
};

/** Shows a temporary password until the dialog is closed, to copy or to print. */
export const TemporaryPassword = ({ title, user, password, onClose }: Shown) => (
  <Modal
    visible
    header={title}
    onDismiss={onClose}
    closeAriaLabel={words.panel.close}
    footer={
      <Box float="right">
        <SpaceBetween direction="horizontal" size="xs">
          <Button iconName="file" onClick={() => window.print()}>
            {temporaryPasswordWords.print}
          </Button>
          <Button variant="primary" onClick={onClose}>
            {temporaryPasswordWords.close}
          </Button>
        </SpaceBetween>
      </Box>
    }
  >
    <SpaceBetween size="m">
      <Box fontSize="heading-m">
        <Copyable value={password} name={temporaryPasswordWords.name} />
      </Box>
      <span>{temporaryPasswordWords.passOn(signInOf(user))}</span>
    </SpaceBetween>
    <Sheet user={user} password={password} />
  </Modal>
);
