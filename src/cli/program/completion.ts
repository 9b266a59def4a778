import { Command } from 'commander';

export const COMPLETE = 'complete';

const SETUP = `
Set it up:
  source <(lockhound complete bash)                        bash; put it into ~/.bashrc
  source <(lockhound complete zsh)                         zsh; put it into ~/.zshrc
  lockhound complete fish > ~/.config/fish/completions/lockhound.fish
  lockhound complete powershell >> $PROFILE`;

/** The command as `--help` shows it. `addCompletion` replaces it. */
export function completeCommand(): Command {
  return new Command(COMPLETE)
    .description('Print a completion script for a shell.')
    .argument('<shell>', 'bash, zsh, fish or powershell')
    .addHelpText('after', SETUP);
}

/** Adds `complete <shell>`, and `complete -- <words>`, which the completion scripts call. */
export async function addCompletion(program: Command): Promise<void> {
  const { default: addTab } = await import('@bomb.sh/tab/commander');
  addTab(program);
}
