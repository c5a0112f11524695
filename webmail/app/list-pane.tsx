import { useMail } from '../context/mail-context.ts';
import { go, keepPlace } from '../context/route.ts';
import type { Email } from '../jmap/types.ts';
import type { ConversationRow } from '../list/conversation-row.ts';
import { ListHead } from '../list/list-head.tsx';
import { MessageList } from '../list/message-list.tsx';
import type { Swipes } from '../list/swipe.ts';
import { mailboxName } from '../mailboxes/mailbox-tree.ts';
import { awayNote, forwarded, words } from '../words/words.ts';
import type { Command } from './commands.ts';
import { fileActs } from './file-commands.ts';
import { tickRows } from './list-navigation.ts';
import type { ListTargets } from './list-targets.ts';
import type { Overlays } from './overlays.tsx';
import type { ShownList } from './shown-list.ts';
import { placeIn, type CommandTarget } from './targets.ts';
import { MenuButton, messageActs, Toolbar } from './toolbar.tsx';

const listButtons = ['archive', 'delete', 'deleteForever', 'junk', 'notJunk', 'move'];

export type ListPaneProps = {
  readonly heading: string;
  readonly list: ShownList;
  readonly targets: ListTargets;
  readonly commands: readonly Command[];
  readonly showMenu: Overlays['showMenu'];
  readonly onSettings: () => void;
  /** Is called when a target is dragged, and with undefined when the drag ends. */
  readonly onDrag: (target: CommandTarget | undefined) => void;
};

/** The buttons that act on what is ticked, or on the list. */
const ListToolbar = ({ list, targets, commands, showMenu }: Pick<ListPaneProps, 'list' | 'targets' | 'commands' | 'showMenu'>) => {
  const listTarget: CommandTarget = { mailboxId: list.mailbox?.id, conversations: [] };
  if (!targets.hasTicks) {
    const isAllowed = commands.find(({ id }) => id === 'empty')!.isAllowed(listTarget);
    return isAllowed && <Toolbar label={words.actsOnList} ids={['empty']} commands={commands} target={listTarget} />;
  }
  return (
    <Toolbar label={words.actsOnTicked} ids={listButtons} commands={commands} target={targets.ticked}>
      <MenuButton
        label={words.more}
        onOpen={(at) => showMenu({ target: targets.ticked, ids: [...messageActs.filter((id) => !listButtons.includes(id)), ...fileActs], ...at })}
      />
    </Toolbar>
  );
};

/** The commands of swipes over a row: of each two, the one that is allowed. */
const swipesOf = (commands: readonly Command[], target: CommandTarget): Swipes => {
  const swipe = (...ids: readonly string[]) => {
    const found = ids.map((id) => commands.find((each) => each.id === id)!).find((each) => each.isAllowed(target));
    return found && { label: found.label, run: () => found.run(target) };
  };
  return { right: swipe('archive', 'notJunk'), left: swipe('delete', 'deleteForever') };
};

/** Tells that the mail of the account is forwarded or answered, so that nobody wonders where it is, or who gets what. */
const Notes = ({ onSettings }: Pick<ListPaneProps, 'onSettings'>) => {
  const { forwarding, vacation } = useMail().notes;
  const [forwardingText, awayText] = [forwarding && forwarded(forwarding), vacation && awayNote(vacation)];
  return (
    <>
      {forwardingText && <p className="note quiet">{forwardingText}</p>}
      {awayText && (
        <p className="note quiet">
          {awayText}{' '}
          <button type="button" onClick={onSettings}>
            {words.settings}
          </button>
        </p>
      )}
    </>
  );
};

/** The list, with what can be done with its rows. */
export const ListPane = ({ heading, list, targets, commands, showMenu, onSettings, onDrag }: ListPaneProps) => {
  const { store, query, mailbox, problem, problems, ids, route, here, ticks } = list;
  const placeOf = placeIn(store.mailboxes());
  const nameOfPlace = (email: Email): string | undefined => {
    const found = placeOf(email);
    return found && mailboxName(found);
  };
  const open = ({ threadId }: ConversationRow): void => go({ ...here, threadId });
  return (
    <main className="list-pane" aria-label={heading}>
      {problem && (
        <p role="alert" className="note">
          {problem}{' '}
          <button type="button" onClick={list.tryAgain}>
            {words.again}
          </button>
        </p>
      )}
      <Notes onSettings={onSettings} />
      <ListHead
        count={targets.ticked.conversations.length}
        isAll={ticks.isAll}
        total={ids.length}
        onTickAll={problems.length === 0 ? ticks.tickAll : undefined}
        onTickRows={() => tickRows(list, 'all')}
        onClear={ticks.clear}
      >
        <ListToolbar list={list} targets={targets} commands={commands} showMenu={showMenu} />
      </ListHead>
      {query && (
        <MessageList
          key={list.key}
          query={query}
          mailboxRole={mailbox?.role ?? null}
          openThreadId={route.threadId}
          active={list.current}
          ticks={ticks}
          top={list.top}
          placeOf={route.search === undefined ? undefined : nameOfPlace}
          swipes={(row) => swipesOf(commands, targets.of(row))}
          onScrolled={(top) => keepPlace({ top })}
          onActive={list.setActive}
          onOpen={open}
          onDrag={(row) => onDrag(row && targets.of(row))}
          onMenu={(row, at) => showMenu({ open: () => open(row), target: targets.of(row), ids: [...messageActs, ...fileActs], ...at })}
        />
      )}
    </main>
  );
};
