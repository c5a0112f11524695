import Box from '@cloudscape-design/components/box';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useSession } from '../../session/session-gate.tsx';
import { deactivationWords as texts, userWords } from '../../words/pages/users.ts';
import { signInOf, type SignIn } from './user-state.ts';

const Consequences = ({ title, items }: { readonly title: string; readonly items: readonly string[] }) => (
  <div>
    <b>{title}</b>
    <ul className="plain-list">{items.map((item) => <li key={item}>{item}</li>)}</ul>
  </div>
);

/** The consequences of deactivating or deleting a user: things that end, and things that stay. */
export const DeactivationConsequences = ({ user, isRemoval }: { readonly user: SignIn; readonly isRemoval: boolean }) => {
  const { person } = useSession();
  return (
    <SpaceBetween size="xs">
      {person.email === signInOf(user) && <Box color="inherit" fontWeight="bold">{userWords.isYou}</Box>}
      <Consequences title={texts.endsNow} items={texts.now} />
      <Consequences title={texts.endsSoon} items={texts.soon} />
      <Consequences title={texts.stays} items={texts.left} />
      <span>{isRemoval ? texts.cannotUndo : texts.canUndo}</span>
    </SpaceBetween>
  );
};
